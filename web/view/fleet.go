package view

import (
	"fmt"
	"slices"
	"time"

	"w3host/formats/w3map"
)

// Fleet lists all hosts that share the database, and the lobbies and games of the other hosts.
type Fleet struct {
	Number int  // number of this host; 0 if it has none yet
	Away   bool // the database does not answer
	Hosts  []FleetHost
	Games  []FleetGame
}

// FleetHost is a running host of the fleet.
type FleetHost struct {
	Number, Places int
	Name           string
	Draining       bool
}

// FleetGame is a lobby or game of another host, read from the game log.
type FleetGame struct {
	Host             int
	HostName         string
	ID               uint32
	Name, Map        string
	Private, Playing bool
	Since            time.Time
	Players          []string
}

// SetFleet sets the state of the fleet; nil means that this host is alone.
func (v *View) SetFleet(f *Fleet) { v.fleet = f }

// FleetWatched reports whether anybody watches a page that shows the fleet. watched reports whether a topic is watched.
func (v *View) FleetWatched(watched func(Topic) bool) bool {
	for t := range v.pages {
		if t.Page != GamePage && watched(t) {
			return true
		}
	}
	return false
}

// buildFleet writes the hosts, and the lobbies and games of other hosts. If inside is false, the reader has not logged in
// and gets neither hosts nor private games.
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
	// Game numbers are unique on one host only, so the row id includes the host's number.
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
