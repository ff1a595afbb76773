package host

import (
	"context"
	"slices"
)

// Leave ends everything but the games that are being played and the lobbies with somebody in them:
// another process goes on in the place of this one. Outlast has to follow.
func (h *Host) Leave() {
	h.beginStop(true)
	h.takeovers.Wait()
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
