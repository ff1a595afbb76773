// Package host is where the pure rooms meet the world: it listens, gives each
// connection to its game, and carries inputs and orders between sockets and the
// machines that know the rules. It holds no rule itself.
package host

import (
	"maps"
	"net/netip"
	"slices"
	"time"

	"w3host/game"
	"w3host/game/autohost"
	"w3host/host/takeover"
)

// Host takes joins on one TCP port for every lobby and game.
type Host struct {
	*registry
	shard   *shard
	running []*Game // in the order in which they began; belongs to the loop's goroutine

	// Guarded by registry.mu:
	games    map[uint32]*Game // lobbies and running games by id
	lastID   uint32           // that was given to a lobby
	opened   uint32           // the highest that has been in games
	setup    game.Config      // of lobbies that no entry asks for
	agains   []lobbySpec      // of games that are over and played again
	stopping bool

	beatAt     time.Duration // of the last heartbeat that was passed on
	rested     bool          // nothing ran then
	goodAt     time.Duration // from when on the games that were taken over count as sound; 0: not yet known
	holderGone time.Duration // when the log last said that the holder has ended; 0: never

	coming bool // games of a process before may still be taken over; belongs to the loop's goroutine

	takeover *takeover.Takeover // of the games of earlier processes
	retry    time.Duration      // refillRetry; tests wait less
}

// Addr is where the host listens.
func (h *Host) Addr() netip.AddrPort { return h.shard.opts.Listeners.Addr() }

// Game finds a lobby or a running game.
func (h *Host) Game(id uint32) *Game {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.games[id&gameIDMask]
}

// Games lists the lobbies and running games.
func (h *Host) Games() []*Game {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.games))
}

// find is Game; over reports that the game of this id has ended.
func (h *Host) find(id uint32) (g *Game, over bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id &= gameIDMask
	g = h.games[id]
	return g, g == nil && id > 0 && id <= h.opened
}

// Draining reports whether no lobby is opened any more, by an operator's will.
func (h *Host) Draining() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopping || h.keeper.Disabled()
}

// forget removes a game that is over from all tables.
func (h *Host) forget(g *Game) {
	h.running = slices.DeleteFunc(h.running, func(o *Game) bool { return o == g })
	h.Keep(func(k *autohost.Keeper) {
		delete(h.games, g.id)
		delete(h.infos, g.id)
		k.Ended(g.id)
	})
}

// again has a lobby opened in the place of a game that is played again.
func (h *Host) again(g *Game, cfg *game.Config) {
	spec := *g.spec
	spec.name, spec.again, spec.over = cfg.Name, cfg, g.id
	h.Keep(func(k *autohost.Keeper) {
		k.Hold(g.id)
		h.agains = append(h.agains, spec)
	})
}

// beginStop announces the end of this host, or that another process goes on in its place.
func (h *Host) beginStop(handing bool) {
	h.mu.Lock()
	h.stopping = true
	h.mu.Unlock()
	h.takeover.Stop(handing)
}
