package host

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"w3host/autohost"
	"w3host/game"
)

// refillRetry is the pause after a lobby could not be opened, and between two
// looks at the hours of the day.
const refillRetry = 10 * time.Second

// Autohost keeps lobbies open.
type Autohost struct {
	Entries  []Entry
	MaxGames int           // lobbies and running games of the host together
	Retry    time.Duration // the pause after nothing could be opened; 0: 10 s
	// Expand lists the maps that a choice of an entry stands for. It never waits.
	Expand func(choice string) []string
	// Open reads one of these maps. It is asked for each lobby, so that a replaced
	// file takes effect without a restart.
	Open func(file string) (*Map, error)
}

// Entry is a kind of game of which a lobby is to be open always.
type Entry struct {
	autohost.Entry
	Setup game.Config // as Options.Game
}

// newKeeper makes the keeper of the entries.
func (h *Host) newKeeper() *autohost.Keeper {
	expand := func(choice string) []string { return []string{choice} }
	if h.opts.Autohost.Expand != nil {
		expand = h.opts.Autohost.Expand
	}
	a := &h.opts.Autohost
	return autohost.New(a.plain(), a.MaxGames, h.retry, uint64(randomU32()), expand)
}

func (a *Autohost) plain() []autohost.Entry {
	list := make([]autohost.Entry, len(a.Entries))
	for i, e := range a.Entries {
		list[i] = e.Entry
	}
	return list
}

// Configure changes what can be changed while games run: what the lobbies to come
// are made from, the entries, and, but for Shutdown, the limits of connections to
// come. Lobbies in which nobody is are closed, so that the next show the change;
// others, and running games, stay as they are.
func (h *Host) Configure(o Options) {
	h.shard.call(func() { // which reads these without the lock
		h.mu.Lock()
		defer h.mu.Unlock()
		o.Limits.Shutdown = h.opts.Limits.Shutdown
		h.opts.Limits, h.opts.RequireEntryKey = o.Limits, o.RequireEntryKey
		h.leaves.adjust(o.Limits.LobbyLeaves, o.Limits.LobbyLeavesWithin)
		h.gate.adjust(o.Limits)
	})
	h.mu.Lock()
	h.setup = o.Game
	h.opts.Autohost.Entries, h.opts.Autohost.MaxGames = o.Autohost.Entries, o.Autohost.MaxGames
	h.keeper.Configure(o.Autohost.plain(), o.Autohost.MaxGames)
	lobbies := h.keeper.Lobbies()
	h.mu.Unlock()
	h.closeEmpty(lobbies, "the configuration has changed")
	h.wantRefill()
}

// Keep lets f ask and change which lobbies are opened. It must not wait.
func (h *Host) Keep(f func(*autohost.Keeper)) {
	h.mu.Lock()
	f(h.keeper)
	h.mu.Unlock()
	h.wantRefill()
}

// Reopen closes the lobbies of an entry in which nobody is, so that the next
// come at once.
func (h *Host) Reopen(entry, why string) {
	var ids []uint32
	for _, info := range h.Infos() {
		if info.Entry == entry && !info.Playing {
			ids = append(ids, info.ID)
		}
	}
	h.closeEmpty(ids, why)
}

// closeEmpty closes the lobbies in which nobody is.
func (h *Host) closeEmpty(ids []uint32, why string) {
	for _, id := range ids {
		h.closeLobby(id, why, 0)
	}
}

// CloseLobby closes a lobby with whoever is in it; false if it is none.
func (h *Host) CloseLobby(id uint32, why string) bool { return h.closeLobby(id, why, math.MaxInt) }

// closeLobby closes a lobby unless more players are in it.
func (h *Host) closeLobby(id uint32, why string, players int) bool {
	g := h.Game(id)
	if g == nil || !g.open.Load() {
		return false
	}
	g.call(func(g *Game) {
		if g.open.Load() && len(g.links) <= players {
			g.step(&game.Input{Kind: game.Stop, Why: why})
		}
	})
	return true
}

// LobbyName is the name of a lobby that nobody has given one. No other is called
// so, for realms list one of a name.
func (h *Host) LobbyName() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	base := "w3host game"
	if e := h.opts.Autohost.Entries; len(e) > 0 && len(e[0].Name) <= autohost.MaxName-len(" 999") && !strings.Contains(e[0].Name, "{n}") {
		base = e[0].Name
	}
	taken := map[string]bool{}
	for _, i := range h.infos {
		taken[i.Name] = true
	}
	name := base
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s %d", base, n)
	}
	return name
}

// keepLobbies opens lobbies as the entries want them until ctx ends.
func (h *Host) keepLobbies(ctx context.Context) {
	again := time.NewTimer(h.retry)
	defer again.Stop()
	for {
		h.fill()
		again.Reset(h.retry)
		select {
		case <-ctx.Done():
			return
		case <-h.refill:
		case <-again.C:
		}
	}
}

// again has a lobby opened in the place of a game that is played again.
func (h *Host) again(g *Game, cfg *game.Config) {
	spec := *g.spec
	spec.name, spec.again, spec.over = cfg.Name, cfg, g.id
	h.mu.Lock()
	h.agains = append(h.agains, spec)
	h.mu.Unlock()
	h.wantRefill()
}

// openAgain opens what is to be played again, unless no lobbies may be opened.
func (h *Host) openAgain() {
	for {
		h.mu.Lock()
		if len(h.agains) == 0 {
			h.mu.Unlock()
			return
		}
		spec := h.agains[0]
		err := errDisabled
		if !h.keeper.Disabled() {
			h.mu.Unlock()
			_, err = h.openLobby(spec)
			h.mu.Lock()
		}
		h.agains = h.agains[1:]
		if err != nil {
			h.keeper.Ended(spec.over)
		}
		h.mu.Unlock()
		if err != nil {
			h.log.Error().Err(err).Uint32("game", spec.over).Msg("cannot open the lobby again")
		}
	}
}

var errDisabled = errors.New("no new lobbies are opened: enable allows them again")

// fill opens lobbies until there are enough, and closes those that nobody wants.
func (h *Host) fill() {
	h.openAgain()
	for {
		h.mu.Lock()
		order, ok := h.keeper.Next(time.Now())
		ok = ok && !h.stopping
		unwanted := h.keeper.Unwanted(time.Now())
		setup := h.entrySetup(order.Entry)
		h.mu.Unlock()
		h.closeEmpty(unwanted, "it is not the time for this game")
		if !ok {
			return
		}
		h.openOrder(order, setup)
	}
}

// entrySetup is that of an entry.
func (h *Host) entrySetup(name string) game.Config {
	for _, e := range h.opts.Autohost.Entries {
		if e.Name == name {
			return e.Setup
		}
	}
	return h.setup
}

// ChangeEntry changes the entry of a game, or the only one that there is, until
// the configuration is read again.
func (h *Host) ChangeEntry(id uint32, change func(*Entry)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var after Entry
	before, err := h.keeper.Change(id, func(e *autohost.Entry) {
		after = Entry{*e, h.entrySetup(e.Name)}
		change(&after)
		*e = after.Entry
	})
	entries := slices.Clone(h.opts.Autohost.Entries)
	for i := range entries {
		if err == nil && entries[i].Name == before {
			entries[i] = after
		}
	}
	h.opts.Autohost.Entries = entries
	return err
}

// openOrder opens a lobby with the first of the maps that can be hosted.
func (h *Host) openOrder(order autohost.Order, setup game.Config) {
	err := errors.New("its entry has no map")
	for i, file := range order.Maps {
		var m *Map
		if m, err = h.opts.Autohost.Open(file); err == nil {
			_, err = h.openLobby(lobbySpec{name: order.Name, m: m, setup: setup, file: file, order: &order, entry: order.Entry})
		}
		if err == nil {
			return
		}
		if i+1 < len(order.Maps) && !errors.Is(err, errHostStops) {
			h.log.Warn().Err(err).Str("map", file).Str("entry", order.Entry).Msg("map skipped")
		}
	}
	if errors.Is(err, errHostStops) {
		return
	}
	h.log.Error().Err(err).Str("entry", order.Entry).Dur("again_in", h.retry).Msg("cannot open a lobby")
	h.mu.Lock()
	h.keeper.Failed(order, time.Now())
	h.mu.Unlock()
}

func (h *Host) wantRefill() {
	select {
	case h.refill <- struct{}{}:
	default:
	}
}
