package host

import (
	"context"
	"errors"
	"math"
	"time"

	"w3host/game"
	"w3host/game/autohost"
)

// refillRetry is the pause after a failure to open a lobby, and between two checks of entries that depend on the time of
// day.
const refillRetry = 10 * time.Second

// Configure changes the options that can change while games run: Game, Autohost, RequireEntryKey, and Limits except
// Shutdown. They apply to new lobbies and connections. Empty lobbies close, so that new ones show the change; other
// lobbies and running games keep their options.
func (h *Host) Configure(o Options) {
	h.shard.Call(func() { // the loop reads these without the lock
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

// Reopen closes the empty lobbies of an entry, so that new ones open at once.
func (h *Host) Reopen(entry, why string) {
	for _, info := range h.Infos() {
		if info.Entry == entry {
			h.closeLobby(info.ID, why, "", 0)
		}
	}
}

// closeEmpty closes the lobbies of these IDs that are empty.
func (h *Host) closeEmpty(ids []uint32, why string) {
	for _, id := range ids {
		h.closeLobby(id, why, "", 0)
	}
}

// CloseLobby closes a lobby with the players in it, and tells them who has closed it. It returns false if there is no
// such lobby. It waits for the loop and must not be called on it.
func (h *Host) CloseLobby(id uint32, by string) bool {
	return h.closeLobby(id, "", by, math.MaxInt)
}

// closeLobby closes a lobby unless more than so many players are in it, and reports whether it did. It waits for the
// loop; neither it nor its callers may be called on the loop.
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

// keepLobbies opens lobbies for the entries, and checks players when bans have changed, until ctx ends.
func (h *Host) keepLobbies(ctx context.Context) {
	for {
		h.fill()
		var again <-chan time.Time // nil: the time of day opens and closes no lobby
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

// openAgain opens the lobbies for games that are played again, unless new lobbies are disabled.
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

// fill opens lobbies until there are as many as the entries want, and closes empty ones that no entry wants.
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

// openOrder opens a lobby with the first map of an order that can be hosted.
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

// checkBans checks the players of all lobbies and games, because the bans have changed.
func (h *Host) checkBans() {
	for _, g := range h.Games() {
		g.call(g.checkBans)
	}
}
