package storage

import (
	"context"
	"errors"
	"time"

	"w3host/storage/internal/sqldb"
)

const beatTimeout = 5 * time.Second

// presence sends this host's heartbeats and watches those of other hosts.
//
// A host is dead if its heartbeat has not changed for deadAfter while this host could observe it all the
// time. This does not compare clocks, and gives every host that long to return after an outage of the
// database.
type presence struct {
	*Recorder
	seen map[string]sighting
}

type sighting struct {
	heartbeat time.Time
	since     time.Time // when this host first saw that heartbeat
}

func (p *presence) beat(ctx context.Context) {
	beats, stop := p.opts.Heart.Listen(p.opts.Heartbeat)
	defer stop()
	notify(p.statusWanted)
	for {
		select {
		case <-beats:
			notify(p.statusWanted)
			if !p.entered.Load() {
				notify(p.backlog.wake) // makes the applier try again
				continue
			}
			if err := p.round(ctx, time.Now()); err != nil {
				p.seen = nil // this host could not observe the others for a while
				p.log.Debug().Err(err).Msg("cannot send the heartbeat: the database does not answer")
			}
		case <-p.stop:
			return
		case <-ctx.Done():
			return
		}
	}
}

// round sends one heartbeat and checks the other hosts once.
func (p *presence) round(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	chore := sqldb.Chore(ctx)
	err := p.db.Beat(chore, p.Host())
	if errors.Is(err, ErrConflict) {
		err = p.renew(ctx)
	}
	if err != nil {
		return err
	}
	others, err := p.db.OtherHosts(chore, p.Host())
	if err != nil {
		return err
	}
	seen := make(map[string]sighting, len(others))
	for _, other := range others {
		s, ok := p.seen[other.ID]
		if !ok || !s.heartbeat.Equal(other.Heartbeat) {
			s = sighting{other.Heartbeat, now}
		}
		seen[other.ID] = s
		if now.Sub(s.since) < deadAfter {
			continue
		}
		games, err := p.db.CloseGamesOf(ctx, other)
		if err != nil {
			return err
		}
		if games > 0 {
			p.log.Warn().Str("host", other.Name).Int("games", games).Msg("another host sends no heartbeat; its games are closed as crashed")
		}
	}
	p.seen = seen
	return nil
}

// renew gives this host a new id. Another running host uses the old one, because one spool folder is a copy
// of the other.
func (r *Recorder) renew(ctx context.Context) error {
	h := r.Host()
	from := h.ID
	h.ID = NewGameKey().String()
	if err := r.db.MoveHost(ctx, from, h); err != nil {
		return err
	}
	r.host.Store(&h)
	r.entered.Store(true)
	r.log.Error().Str("was", from).Str("is", h.ID).AnErr("unsaved", writeHostID(r.opts.Disk, r.opts.Dir, h.ID)).
		Msg("another running host uses the same host id, probably from a copied data folder; this host now has a new id")
	return nil
}

// leave marks the host as stopped, after the last records.
func (p *presence) leave(ctx context.Context) {
	if ctx.Err() != nil || !p.entered.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	if err := p.db.LeaveHost(ctx, p.Host()); err != nil {
		p.log.Debug().Err(err).Msg("cannot mark this host as stopped")
	}
}
