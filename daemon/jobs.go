package daemon

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/internal/heartbeat"
	"w3host/rating"
	"w3host/storage"
)

// Retention returns how long stored records are kept.
func Retention(c config.Database) storage.RetentionPolicy {
	return storage.RetentionPolicy{Chat: c.KeepChat.D(), Addresses: c.KeepAddresses.D(), Games: c.KeepGames.D(), Audit: c.KeepAudit.D()}
}

// When a host prunes the database.
const (
	keepFirst = 10 * time.Second
	keepEvery = time.Hour
)

// housekeeping deletes records older than keep allows, once an hour until ctx ends. Errors are logged.
func housekeeping(ctx context.Context, db *storage.Store, keep storage.RetentionPolicy, log zerolog.Logger) {
	for wait := keepFirst; ; wait = keepEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		done, err := db.Prune(ctx, keep, false)
		if err != nil && ctx.Err() == nil {
			log.Warn().Err(err).Msg("cannot delete old records from the database")
		}
		if done != (storage.Pruned{}) {
			log.Info().Int64("games", done.Games).Int64("chat_lines", done.Chat).Int64("addresses", done.Addresses).
				Int64("audit_lines", done.Audit).
				Msg("deleted old records from the database")
		}
	}
}

// ratings looks up players' ratings for the host.
type ratings struct{ db *storage.Store }

// Skill returns a player's rating, or that of a newcomer if no game of the player is rated.
func (r ratings) Skill(ctx context.Context, name, realm, mapName string) (skill rating.Skill, games int, err error) {
	known, err := r.db.Rating(ctx, name, realm, mapName)
	if errors.Is(err, storage.ErrNotFound) {
		return rating.Newcomer(), 0, nil
	}
	return rating.Skill{Mu: known.Mu, Sigma: known.Sigma}, known.Games, err
}

const (
	// rateEvery limits how long players wait for their new ratings after a game.
	rateEvery = 5 * time.Second
	// rateAnyway is the maximum interval between checks for games stored by other processes.
	rateAnyway = time.Minute
)

// keepRatings rates ended games and updates the ladders until ctx ends: after this host has stored records, whose number
// applied returns, and at intervals for those of other hosts.
func keepRatings(ctx context.Context, db *storage.Store, heart *heartbeat.Heart, applied func() uint64, ladders *ladders, log zerolog.Logger) {
	var rated atomic.Uint64 // value of applied at the last check
	var next atomic.Int64   // next check without new records; ns since 1970
	beats, stop := heart.ListenWhen(rateEvery, func() bool {
		return applied() != rated.Load() || time.Now().UnixNano() >= next.Load()
	})
	defer stop()
	told := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-beats:
		}
		rated.Store(applied())
		n, err := db.RateGames(ctx)
		if err == nil {
			err = ladders.update(ctx, time.Now())
		}
		next.Store(0)
		if err == nil {
			next.Store(time.Now().Add(rateAnyway).UnixNano())
		}
		switch {
		case err == nil:
			told = ""
			if n > 0 {
				log.Debug().Int64("games", n).Msg("games rated")
			}
		case errors.Is(err, storage.ErrUnavailable):
			log.Debug().Err(err).Msg("cannot rate games; will try again")
		case told != err.Error(): // log a permanent error only once
			told = err.Error()
			log.Error().Err(err).Msg("cannot rate games")
		}
	}
}
