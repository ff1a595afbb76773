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

// Retention is how long the configuration keeps stored records.
func Retention(c config.Database) storage.RetentionPolicy {
	return storage.RetentionPolicy{Chat: c.KeepChat.D(), Addresses: c.KeepAddresses.D(), Games: c.KeepGames.D(), Audit: c.KeepAudit.D()}
}

// How often a host prunes the database.
const (
	keepFirst = 10 * time.Second
	keepEvery = time.Hour
)

// housekeeping removes records that are older than keep allows, until ctx ends. It
// tries again after an hour when that fails.
func housekeeping(ctx context.Context, db *storage.Store, keep storage.RetentionPolicy, log zerolog.Logger) {
	for wait := keepFirst; ; wait = keepEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		done, err := db.Prune(ctx, keep, false)
		if err != nil && ctx.Err() == nil {
			log.Warn().Err(err).Msg("cannot remove old records from the database")
		}
		if done != (storage.Pruned{}) {
			log.Info().Int64("games", done.Games).Int64("chat_lines", done.Chat).Int64("addresses", done.Addresses).
				Int64("audit_lines", done.Audit).
				Msg("old records are removed from the database")
		}
	}
}

// ratings looks up players' ratings for the host.
type ratings struct{ db *storage.Store }

// Skill is a player's rating, or a newcomer's if none of their games is rated.
func (r ratings) Skill(ctx context.Context, name, realm, mapName string) (skill rating.Skill, games int, err error) {
	known, err := r.db.Rating(ctx, name, realm, mapName)
	if errors.Is(err, storage.ErrNotFound) {
		return rating.Newcomer(), 0, nil
	}
	return rating.Skill{Mu: known.Mu, Sigma: known.Sigma}, known.Games, err
}

const (
	// rateEvery bounds how long players wait for their new ratings after a game.
	rateEvery = 5 * time.Second
	// rateAnyway is the longest time without a look for games that other processes have stored.
	rateAnyway = time.Minute
)

// keepRatings rates games that have ended, until ctx ends: after this host has stored records,
// whose number applied returns, and now and then for those of other hosts. It keeps the ladders up to date likewise.
func keepRatings(ctx context.Context, db *storage.Store, heart *heartbeat.Heart, applied func() uint64, ladders *ladders, log zerolog.Logger) {
	var rated atomic.Uint64 // applied at the last look
	var next atomic.Int64   // when to look although nothing was stored; nanoseconds since 1970
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
		case told != err.Error(): // it stays until somebody mends the database: once is enough
			told = err.Error()
			log.Error().Err(err).Msg("games are not rated")
		}
	}
}
