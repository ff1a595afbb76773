package storage

import (
	"context"
	"errors"
	"time"
)

const beatTimeout = 5 * time.Second

// presence sends the heartbeats of this host and watches those of others.
//
// Another host is dead when its heartbeat has not moved for DeadAfter while
// this host could look the whole time. No two clocks are compared, and after
// an outage of the database everyone has that long to come back.
type presence struct {
	*Recorder
	seen map[string]sighting
}

type sighting struct {
	heartbeat time.Time
	since     time.Time // when this host first saw that heartbeat
}

func (p *presence) beat(ctx context.Context) {
	ticker := time.NewTicker(p.opts.Heartbeat)
	defer ticker.Stop()
	p.writeStatus()
	for {
		select {
		case <-ticker.C:
			p.writeStatus()
			if !p.entered.Load() {
				notify(p.backlog.wake) // the applier is to try again
				continue
			}
			if err := p.round(ctx, time.Now()); err != nil {
				p.seen = nil // nothing was seen for a while: begin anew
				p.log.Debug().Err(err).Msg("no heartbeat: the database does not answer")
			}
		case <-p.stop:
			return
		case <-ctx.Done():
			return
		}
	}
}

// round is one heartbeat and one look at the others.
func (p *presence) round(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	err := p.db.Beat(ctx, p.Host())
	if errors.Is(err, ErrConflict) {
		err = p.renew(ctx)
	}
	if err != nil {
		return err
	}
	others, err := p.db.OtherHosts(ctx, p.Host())
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
		if now.Sub(s.since) < p.opts.DeadAfter {
			continue
		}
		games, err := p.db.CloseGamesOf(ctx, other)
		if err != nil {
			return err
		}
		if games > 0 {
			p.log.Warn().Str("host", other.Name).Int("games", games).Msg("a host sends no heartbeat: its games are closed as crashed")
		}
	}
	p.seen = seen
	return nil
}

// renew makes this host another one: the folder of its spool was copied, and
// the copy or the original runs as well.
func (r *Recorder) renew(ctx context.Context) error {
	h := r.Host()
	from := h.ID
	h.ID = NewGameKey().String()
	if err := r.db.MoveHost(ctx, from, h); err != nil {
		return err
	}
	r.host.Store(&h)
	r.entered.Store(true)
	r.log.Error().Str("was", from).Str("is", h.ID).AnErr("unsaved", writeHostID(r.opts.Dir, h.ID)).
		Msg("another running host has this host's id: its data folder is a copy of ours, or ours of its. This host has a new id now")
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
		p.log.Debug().Err(err).Msg("the host did not sign off")
	}
}
