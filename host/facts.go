package host

import (
	"slices"

	"github.com/rs/zerolog"

	"w3host/game"
	"w3host/hold"
	"w3host/host/takeover"
	"w3host/protocol/w3gs"
)

// facts is what the host itself keeps of the facts of a game, also while another process plays it.
type facts struct {
	registry *registry // its lock guards info
	info     Info
	saved    *game.Saved
	loading  bool             // players load the map
	watching w3gs.PIDs        // the observers of the game that runs
	seenFrom uint8            // the seat from which viewers see the game; 0: nobody can watch it
	called   map[uint8]string // the names of all who took part, as viewers see them
	desynced bool
}

// Inherit lists the games that earlier processes have left; shelf is nil without a supervisor.
func Inherit(shelf hold.Shelf, log zerolog.Logger) *takeover.Inheritance {
	in := takeover.Inherit(shelf, log)
	in.Facts = inheritedFacts
	return in
}

// inheritedFacts is those of a game that another process plays or has left, before its first fact.
func inheritedFacts(g *takeover.Game) takeover.Observer {
	return &facts{registry: new(registry), info: Info{ID: g.ID, Map: g.Header.Map, Entry: g.Entry, By: g.By, Since: g.Header.Opened}}
}

// Observe implements Observer.
func (t *facts) Observe(s *game.Stamped) {
	note := func(change func(*Info)) { t.registry.note(&t.info, change) }
	switch f := s.Fact.(type) {
	case *game.Opened:
		t.saved = f.Config.Saved
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
		t.loading = false
	case *game.Desynced:
		t.desynced = true
	}
}

// started notes who plays, and what viewers are shown of them.
func (t *facts) started(f *game.Started) {
	t.loading = true
	for _, p := range f.Players {
		if p.Observer {
			t.watching |= w3gs.Only(p.PID)
		}
	}
	t.called, t.seenFrom = map[uint8]string{}, f.Watchers
	for _, p := range slices.Concat(f.Players, f.Fakes) {
		t.called[p.PID] = p.Told
	}
}
