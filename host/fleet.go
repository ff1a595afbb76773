package host

import (
	"slices"
	"time"

	"w3host/fleet"
	"w3host/game"
	"w3host/game/autohost"
)

// Show takes lobbies off the lists whose leases this host may not act on now, and puts them on
// again once it may.
func (h *Host) Show() {
	h.shard.Call(func() {
		for _, g := range slices.Clone(h.running) {
			g.show()
		}
	})
}

// Lose says that a lease is not this host's any more. Players in the lobby may stay and start the
// game; an empty one closes.
func (h *Host) Lose(l fleet.Lease) {
	var id uint32
	h.Keep(func(k *autohost.Keeper) { id = k.Lose(l) })
	if g := h.Game(id); g != nil {
		h.shard.Call(func() { g.closeToStrangers() })
		h.closeLobby(id, "another host has this lobby now", "", 0)
	}
}

// Drain opens no lobbies any more, and lets nobody into those that are open. Empty ones
// close. Players in one read that this host stops, and may start the game within a time,
// after which the lobby closes. Games go on. If the host drains already, the new time counts.
func (h *Host) Drain(within time.Duration) {
	number := 0
	h.Keep(func(k *autohost.Keeper) { number = k.Drain() })
	h.shard.Wait(func() {
		for _, g := range slices.Clone(h.running) {
			if g.open.Load() {
				g.closeToStrangers()
				if len(g.links) == 0 || within <= 0 {
					g.step(&game.Input{Kind: game.Stop, Why: game.HostStops.String()})
				} else {
					g.sayToEach(game.HostDrains(within))
				}
				time.AfterFunc(within, func() { h.endDrained(g, number) })
			}
		}
	})
}

// endDrained closes a lobby that has not started within the time of a drain, unless that was called off or begun anew.
func (h *Host) endDrained(g *Game, number int) {
	g.call(func() {
		drains := false
		h.Keep(func(k *autohost.Keeper) { drains = k.Drains(number) })
		if drains && g.open.Load() {
			g.step(&game.Input{Kind: game.Stop, Why: game.HostStops.String()})
		}
	})
}
