package host

import (
	"context"
	"slices"

	"w3host/host/survive"
)

// Leave ends everything but the games that are being played and the lobbies with somebody in them:
// another process goes on in the place of this one. Outlast has to follow.
func (h *Host) Leave() {
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

// Staying are the games that the program that stands by will leave to this process. It must not
// be called on the shard.
func (h *Host) Staying() (ids []uint32) {
	h.shard.Wait(func() {
		for _, g := range h.running {
			if g.playing && (!g.held || g.ledger == nil || g.ledger.Wanted() == survive.ToStay) {
				ids = append(ids, g.id)
			}
		}
	})
	return ids
}
