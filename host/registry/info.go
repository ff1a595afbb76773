package registry

import (
	"net/netip"
	"slices"
	"time"

	"w3host/game"
	"w3host/lobby"
	"w3host/protocol/w3gs"
)

// Info is the state of a lobby or game.
type Info struct {
	ID      uint32
	Name    string
	Map     string // its file
	Entry   string // of autohost; empty for none
	By      string // who asked for it; empty if an entry or the operator did
	Public  bool   // announced
	Closed  bool   // nobody new may join: the host drains, or another host has its lease
	Playing bool
	Apart   bool      // played by the previous process, in which an upgrade has left it
	Since   time.Time // when it opened or, once Playing, began
	Counts  lobby.Counts
	Players []game.Player // in the order of their joins

	// Viewers returns the number of spectators at the host itself; nil if the game cannot be watched.
	Viewers func() int
}

// Watching returns the number of spectators at the host itself.
func (i *Info) Watching() int {
	if i.Viewers == nil {
		return 0
	}
	return i.Viewers()
}

// Clone returns a copy that shares no memory with i.
func (i *Info) Clone() Info {
	c := *i
	c.Players = slices.Clone(i.Players)
	return c
}

func (i *Info) leave(pid uint8) {
	i.Players = slices.DeleteFunc(i.Players, func(p game.Player) bool { return p.PID == pid })
}

// addrs yields the addresses of the players.
func (i *Info) addrs(yield func(netip.Addr) bool) {
	for _, p := range i.Players {
		if !yield(p.Addr.Addr()) {
			return
		}
	}
}

// Facts is the observer of a game that keeps its Info, and further facts for package host. It also follows games that
// another process plays.
type Facts struct {
	Registry  *Registry // its lock guards Info; not nil
	Info      Info
	Saved     *game.Saved      // the saved game that is continued; nil: none
	Loading   bool             // players load the map
	Observers w3gs.PIDs        // players of the running game who observe it
	ViewPID   uint8            // the seat from which spectators see the game; 0: it cannot be watched
	Told      map[uint8]string // the names of all who take part, as spectators see them
	Desynced  bool
}

// Observe implements host.Observer.
func (t *Facts) Observe(s *game.Stamped) {
	note := func(change func(*Info)) { t.Registry.Note(&t.Info, change) }
	switch f := s.Fact.(type) {
	case *game.Opened:
		t.Saved = f.Config.Saved
		note(func(i *Info) { i.Name, i.Counts, i.Public = f.Config.Name, f.Counts, !f.Config.Unlisted })
	case *game.Listed:
		note(func(i *Info) { i.Name, i.Public = f.Name, f.Public })
	case *game.Counted:
		note(func(i *Info) { i.Counts = f.Counts })
	case *game.Joined:
		note(func(i *Info) { i.Players = append(i.Players, f.Player) })
	case *game.LeftLobby:
		note(func(i *Info) { i.leave(f.PID) })
	case *game.LeftGame:
		note(func(i *Info) { i.leave(f.PID) })
	case *game.Started:
		t.started(f)
		note(func(i *Info) { i.Playing, i.Since = true, i.Since.Add(s.At) })
	case *game.AllLoaded:
		t.Loading = false
	case *game.Desynced:
		t.Desynced = true
	}
}

// started notes who plays, and what spectators see of them.
func (t *Facts) started(f *game.Started) {
	t.Loading = true
	for _, p := range f.Players {
		if p.Observer {
			t.Observers |= w3gs.Only(p.PID)
		}
	}
	t.Told, t.ViewPID = map[uint8]string{}, f.Watchers
	for _, p := range slices.Concat(f.Players, f.Fakes) {
		t.Told[p.PID] = p.Told
	}
}
