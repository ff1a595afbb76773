package host

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"w3host/game"
	"w3host/lobby"
)

// Info is how a lobby or game stands, for whoever is not on the shard.
type Info struct {
	ID      uint32
	Name    string
	Map     string // its file
	Entry   string // of autohost; empty for none
	By      string // who asked for it; empty where an entry or the operator did
	Public  bool   // announced
	Playing bool
	Since   time.Time // it was opened, or has begun
	Counts  lobby.Counts
	Players []game.Player // in the order of their joins
}

func (i *Info) leave(pid uint8) {
	i.Players = slices.DeleteFunc(i.Players, func(p game.Player) bool { return p.PID == pid })
}

// Totals are all lobbies and games together.
type Totals struct {
	Lobbies, Games            int
	LobbyPlayers, GamePlayers int
	Missing                   int // lobbies that autohost wants and has not opened
}

// Totals counts, without a copy of anything.
func (h *Host) Totals(now time.Time) (t Totals) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, g := range h.games {
		if g.info.Playing {
			t.Games++
			t.GamePlayers += len(g.info.Players)
		} else {
			t.Lobbies++
			t.LobbyPlayers += len(g.info.Players)
		}
	}
	t.Missing = h.keeper.Missing(now)
	return t
}

// Draining reports whether no lobby is opened any more, by an operator's will.
func (h *Host) Draining() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopping || h.keeper.Disabled()
}

// Info tells of one lobby or game; its ID is 0 when there is none.
func (h *Host) Info(id uint32) Info {
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.games[id&gameIDMask]; g != nil {
		return g.info.clone()
	}
	return Info{}
}

// seated reports whether a lobby or game has a player of that name. The caller holds
// mu.
func (h *Host) seated(id uint32, name string) bool {
	g := h.games[id]
	return g != nil && slices.ContainsFunc(g.info.Players, func(p game.Player) bool { return strings.EqualFold(p.Name, name) })
}

// Snapshot has it told on the loop how a lobby or game stands; nil: there is none of that
// number. After the end of the host nothing is told. tell must not wait.
func (h *Host) Snapshot(id uint32, tell func(*game.Snapshot)) {
	g := h.Game(id)
	h.shard.Call(func() {
		if g == nil || g.over || g.group == nil {
			tell(nil)
			return
		}
		defer g.rescue()
		tell(g.machine.Snapshot())
	})
}

// Infos tells of all lobbies and games, by their number.
func (h *Host) Infos() []Info {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]Info, 0, len(h.games))
	for _, g := range h.games {
		list = append(list, g.info.clone())
	}
	slices.SortFunc(list, func(a, b Info) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

func (i *Info) clone() Info {
	c := *i
	c.Players = slices.Clone(i.Players)
	return c
}
