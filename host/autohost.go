package host

import (
	"context"
	"errors"
	"math"
	"time"

	"w3host/game"
	"w3host/game/autohost"
)

// refillRetry is the pause after a lobby could not be opened, and between two
// looks at the hours of the day where an entry has any.
const refillRetry = 10 * time.Second

// Configure changes the options that can change while games run: those of the lobbies to
// come, the entries, and, except Shutdown, the limits of connections to
// come. Lobbies in which nobody is are closed, so that the next show the change;
// others, and running games, stay as they are.
func (h *Host) Configure(o Options) {
	h.shard.Call(func() { // which reads these without the lock
		h.mu.Lock()
		defer h.mu.Unlock()
		o.Limits.Shutdown = h.shard.opts.Limits.Shutdown
		h.shard.opts.Limits, h.shard.opts.RequireEntryKey = o.Limits, o.RequireEntryKey
		h.shard.admission.Configure(o.Limits.Limits)
		h.shard.list.OutQueue = o.Limits.OutQueue
	})
	var lobbies []uint32
	h.mu.Lock()
	h.setup = o.Game
	h.mu.Unlock()
	h.Keep(func(k *autohost.Keeper) {
		k.Configure(o.Autohost.Entries, o.Autohost.MaxGames)
		lobbies = k.Lobbies()
	})
	h.closeEmpty(lobbies, "the configuration has changed")
}

// Reopen closes the lobbies of an entry in which nobody is, so that the next
// come at once.
func (h *Host) Reopen(entry, why string) {
	for _, info := range h.Infos() {
		if info.Entry == entry {
			h.closeLobby(info.ID, why, "", 0)
		}
	}
}

// closeEmpty closes those of the lobbies that are empty.
func (h *Host) closeEmpty(ids []uint32, why string) {
	for _, id := range ids {
		h.closeLobby(id, why, "", 0)
	}
}

// CloseLobby closes a lobby with the players in it, who read by whom; false if it is none. It
// must not be called on the shard.
func (h *Host) CloseLobby(id uint32, by string) bool {
	return h.closeLobby(id, "", by, math.MaxInt)
}

// closeLobby closes a lobby unless more players are in it, and reports whether it did. Like all that
// call it, it must not be called on the shard, which it waits for.
func (h *Host) closeLobby(id uint32, why, by string, players int) (closed bool) {
	g := h.Game(id)
	if g == nil {
		return false
	}
	h.shard.Wait(func() {
		if closed = !g.over && g.open.Load() && len(g.links) <= players; closed {
			defer g.rescue()
			g.step(&game.Input{Kind: game.Stop, Why: why, Line: by})
		}
	})
	return closed
}

// keepLobbies opens lobbies as the entries want them, and looks up bans when they have
// changed, until ctx ends.
func (h *Host) keepLobbies(ctx context.Context) {
	for {
		h.fill()
		var again <-chan time.Time // nil: only an event opens or closes a lobby
		h.Locked(func(k *autohost.Keeper) {
			if k.Clocked(time.Now()) {
				again = time.After(h.retry)
			}
		})
		select {
		case <-ctx.Done():
			return
		case <-h.shard.opts.BansChanged:
			h.checkBans()
		case <-h.Refill():
		case <-again:
		}
	}
}

// openAgain opens the lobbies that are to be played again, unless no lobbies may be opened.
func (h *Host) openAgain() {
	h.mu.Lock()
	specs, disabled := h.agains, false
	h.Locked(func(k *autohost.Keeper) { disabled = k.Disabled() })
	h.agains = nil
	h.mu.Unlock()
	for _, spec := range specs {
		err := errDisabled
		if !disabled {
			err = nil
			if spec.m.Parts == nil { // the game was taken over from another process
				spec.m, err = h.shard.opts.Autohost.Open(spec.m.File, spec.again.Seen())
			}
			if err == nil {
				_, err = h.openLobby(spec)
			}
		}
		if err != nil {
			h.Keep(func(k *autohost.Keeper) { k.Replaced(spec.over, 0) })
			h.shard.log.Error().Err(err).Uint32("game", spec.over).Msg("cannot reopen the lobby")
		}
	}
}

// fill opens lobbies until there are enough, and closes those that nobody wants.
func (h *Host) fill() {
	h.openAgain()
	for {
		var order autohost.Order
		var unwanted []uint32
		open := false
		h.Locked(func(k *autohost.Keeper) {
			order, open = k.Next(time.Now())
			unwanted = k.Unwanted(time.Now())
		})
		h.closeEmpty(unwanted, "it is not the time for this game")
		if !open || h.isStopping() {
			return
		}
		h.openOrder(order)
	}
}

// openOrder opens a lobby with the first of the maps that can be hosted.
func (h *Host) openOrder(order autohost.Order) {
	err := errors.New("its entry has no map")
	for i, file := range order.Maps {
		var m *Map
		if m, err = h.shard.opts.Autohost.Open(file, order.Setup.Seen()); err == nil {
			_, err = h.openLobby(lobbySpec{name: order.Name, m: m, setup: order.Setup, file: file, order: order})
		}
		if err == nil || errors.Is(err, errHostStops) {
			return
		}
		if i+1 < len(order.Maps) {
			h.shard.log.Warn().Err(err).Str("map", file).Str("entry", order.Entry).Msg("map skipped")
		}
	}
	h.shard.log.Error().Err(err).Str("entry", order.Entry).Dur("again_in", h.retry).Msg("cannot open a lobby")
	h.Locked(func(k *autohost.Keeper) { k.Failed(order, time.Now()) })
}

// checkBans looks up the players of all lobbies and games again, because the list
// of bans has changed.
func (h *Host) checkBans() {
	for _, g := range h.Games() {
		g.call(g.checkBans)
	}
}
