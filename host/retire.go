package host

import (
	"context"
	"slices"
	"time"

	"w3host/host/survive"
)

// Retire ends everything but the games that are being played and the lobbies with somebody in them:
// another process goes on in the place of this one. Outlast has to follow.
func (h *Host) Retire() {
	h.beginStop(true)
	h.takeover.Wait()
	h.shard.Wait(func() {
		h.shard.leaving = true
		h.shard.Stop(errHostStops)
		for _, g := range slices.Clone(h.running) {
			switch {
			case g.ledger != nil && (g.playing || len(g.links) > 0):
				g.closed.Store(true) // a client that comes now comes to the other process
				g.show()
				g.group.Touch()
			case !g.playing:
				g.stopNow()
			}
		}
	})
}

// HandOver has done called between two turns. From then on the other process takes over
// the games that it can make again.
func (h *Host) HandOver(done func()) {
	if !h.shard.Wait(done) {
		done() // no game was played: the loop has ended
	}
}

// Outlast plays the games that the other process does not take over to their end, or until
// ctx ends.
func (h *Host) Outlast(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-h.shard.Done():
	}
	return h.Close()
}

// EndApart has the process before end a game that stays there; false: no such game stays.
func (h *Host) EndApart(id uint32) bool { return h.takeover.End(id) }

// Staying returns the games that the program that stands by will leave to this process. It must not
// be called on the shard.
func (h *Host) Staying() (stay []uint32) {
	stay, _ = h.left()
	return stay
}

// left lists the games that are still played here: those that stay to their end, and those that are to move.
func (h *Host) left() (stay, behind []uint32) {
	h.shard.Wait(func() {
		for _, g := range h.running {
			switch {
			case !g.held || g.ledger == nil || g.ledger.Wanted() == survive.KeepGame:
				if g.playing {
					stay = append(stay, g.id)
				}
			default:
				behind = append(behind, g.id)
			}
		}
	})
	return stay, behind
}

const (
	// movedWithin is how long Moved waits for games, and movedEvery how often it looks.
	movedWithin = time.Minute
	movedEvery  = 50 * time.Millisecond
)

// Moved waits, after HandOver, until no game is here but those that stay to their end, or until ctx or a minute has ended. It
// returns those that stay, and those that have not moved in time.
func (h *Host) Moved(ctx context.Context) (stay, behind []uint32) {
	for end := time.Now().Add(movedWithin); ; {
		stay, behind = h.left()
		if len(behind) == 0 || ctx.Err() != nil || time.Now().After(end) {
			return stay, behind
		}
		select {
		case <-time.After(movedEvery):
		case <-ctx.Done():
		}
	}
}
