package host

import (
	"slices"
	"time"

	"w3host/fleet"
	"w3host/game"
	"w3host/game/autohost"
)

// Show unlists the lobbies whose leases this host does not hold now, and lists them again once it does.
func (h *Host) Show() {
	h.shard.Call(func() {
		for _, g := range slices.Clone(h.running) {
			g.show()
		}
	})
}

// Lose is called when the host has lost a lease for good. Players in the lobby may stay and start the game; an empty lobby
// closes.
func (h *Host) Lose(l fleet.Lease) {
	var id uint32
	h.Keep(func(k *autohost.Keeper) { id = k.Lose(l) })
	if g := h.Game(id); g != nil {
		h.shard.Call(func() { g.closeToStrangers() })
		h.closeLobby(id, "another host has this lobby now", "", 0)
	}
}

// Drain ends opening lobbies and lets nobody into the open ones. Empty lobbies close. Players in a lobby read that the host
// stops, and can start the game within the given time; then the lobby closes. Games continue. If the host is draining
// already, the new time applies.
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

// endDrained closes a lobby that has not started within the time of a drain, unless the drain was cancelled or renewed.
func (h *Host) endDrained(g *Game, number int) {
	g.call(func() {
		drains := false
		h.Keep(func(k *autohost.Keeper) { drains = k.Drains(number) })
		if drains && g.open.Load() {
			g.step(&game.Input{Kind: game.Stop, Why: game.HostStops.String()})
		}
	})
}
