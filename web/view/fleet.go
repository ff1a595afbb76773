package view

import (
	"fmt"
	"slices"
	"time"

	"w3host/formats/w3map"
)

// Fleet are all hosts that share the database, and the lobbies and games of the others.
type Fleet struct {
	Number int  // of this host; 0: it has none yet
	Away   bool // the database does not answer
	Hosts  []FleetHost
	Games  []FleetGame
}

// FleetHost is a host that lives.
type FleetHost struct {
	Number, Places int
	Name           string
	Draining       bool
}

// FleetGame is a lobby or game of another host, as the game log has it.
type FleetGame struct {
	Host             int
	HostName         string
	ID               uint32
	Name, Map        string
	Private, Playing bool
	Since            time.Time
	Players          []string
}

// SetFleet takes the state of the fleet.
func (v *View) SetFleet(f *Fleet) { v.fleet = f }

// FleetWatched reports whether somebody watches a page that shows it.
func (v *View) FleetWatched(watched func(Topic) bool) bool {
	for t := range v.pages {
		if t.Page != GamePage && watched(t) {
			return true
		}
	}
	return false
}

// buildFleet shows the hosts, and the lobbies and games of the others. Strangers see what is public.
func (v *View) buildFleet(to *Values, w words, inside bool) {
	f := v.fleet
	if f == nil {
		return
	}
	to.text("fleetaway", when(f.Away, w.of("the database does not answer: the other hosts are not known")))
	if inside {
		f.buildHosts(to, w)
	}
	games := slices.DeleteFunc(slices.Clone(f.Games), func(g FleetGame) bool { return g.Private && !inside })
	// The number of a game is its host's alone.
	list(to, "far", games, func(g FleetGame) int { return g.Host<<32 | int(g.ID) }, func(at string, g FleetGame) { g.build(to, at, w, inside) })
}

func (f *Fleet) buildHosts(to *Values, w words) {
	list(to, "hosts", f.Hosts, func(h FleetHost) int { return h.Number }, func(at string, h FleetHost) {
		to.number(at+"number", h.Number)
		to.text(at+"name", h.Name)
		to.number(at+"places", h.Places)
		stage, state := w.of("open"), "on"
		if h.Draining {
			stage, state = w.of("draining"), "warn"
		}
		to.text(at+"stage", stage)
		to.text(at+"state", state)
		to.text(at+"this", when(h.Number == f.Number, w.of("this host")))
		to.raw(at+"before", fmt.Sprintf("at %d", h.Number))
	})
}

func (g FleetGame) build(to *Values, at string, w words, inside bool) {
	to.text(at+"host", g.HostName)
	to.text(at+"name", g.Name)
	to.text(at+"map", w3map.Plain(g.Map))
	stage := w.of("lobby")
	if g.Playing {
		stage = w.of("playing")
	}
	to.text(at+"stage", stage)
	to.text(at+"since", since(time.Duration(g.Since.UnixNano())))
	to.number(at+"players", len(g.Players))
	if !inside {
		return
	}
	to.text(at+"private", when(g.Private && !g.Playing, w.of("private")))
	to.text(at+"number", fmt.Sprintf("%d-%d", g.Host, g.ID))
	to.raw(at+"before", fmt.Sprintf("eg %d-%d", g.Host, g.ID))
}
