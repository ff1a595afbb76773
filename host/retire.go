package host

import (
	"context"
	"slices"
	"time"

	"w3host/host/survive"
)

// Retire ends everything except running games and lobbies with players, because another process hosts from now on. The
// caller must call Outlast afterwards.
func (h *Host) Retire() {
	h.beginStop(true)
	h.takeover.Wait()
	h.shard.Wait(func() {
		h.shard.leaving = true
		h.shard.Stop(errHostStops)
		for _, g := range slices.Clone(h.running) {
			switch {
			case g.ledger != nil && (g.playing || len(g.links) > 0):
				g.closed.Store(true) // new clients join at the other process
				g.show()
				g.group.Touch()
			case !g.playing:
				g.stopNow()
			}
		}
	})
}

// HandOver calls done between two turns. Then the other process takes over the games that it can rebuild.
func (h *Host) HandOver(done func()) {
	if !h.shard.Wait(done) {
		done() // the loop has ended, because there was no game
	}
}

// Outlast waits until the games that the other process does not take over have ended, or until ctx ends, and closes the
// host.
func (h *Host) Outlast(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-h.shard.Done():
	}
	return h.Close()
}

// EndApart orders the previous process to end a game that stays there. It returns false if there is no such game.
func (h *Host) EndApart(id uint32) bool { return h.takeover.End(id) }

// Staying returns the games that the other process cannot rebuild and leaves to this one. It waits for the loop and must
// not be called on it.
func (h *Host) Staying() (stay []uint32) {
	stay, _ = h.left()
	return stay
}

// left returns the games that are still here: those that stay to their end, and those that are still to move.
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
	// movedWithin is how long Moved waits for games, and movedEvery how often it checks.
	movedWithin = time.Minute
	movedEvery  = 50 * time.Millisecond
)

// Moved waits, after HandOver, until only games that stay to their end are here, at most for movedWithin or until ctx ends.
// It returns the games that stay, and those that have not moved in time.
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
