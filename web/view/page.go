package view

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"w3host/game"
	"w3host/protocol/w3gs"
)

// build writes the page of one lobby or game for a reader.
func (g *watched) build(to *Values, w words, reader Reader) {
	g.head(to, "", w)
	s := g.snap
	to.text("version", s.Version.String())
	to.text("period", millis(s.Period)+" ms")
	to.text("running", when(g.playing && g.ended == 0, "yes"))
	to.number("turn", int(s.Turn))
	to.text("owner", s.Owner)
	to.text("watchers", when(s.Watchers > 0, strconv.Itoa(s.Watchers)))
	to.text("late", millis(g.late.newest().Max))
	g.buildSlots(to, "slots", w, true)
	to.tail("lateness", g.late.in(w, func(l Lateness) []string { return []string{millis(l.Median), millis(l.Max)} }))
	to.tail("pings", g.pings.in(w, func(pings string) []string { return []string{pings} }))
	chat, events := &g.heard, &g.seen
	if reader >= Staff {
		chat = &g.chat
	}
	if reader >= Admins {
		events = &g.events
	}
	to.tail("chat", chat.in(w, func(l line) []string {
		return []string{since(l.at), l.colour, l.who, w.in(audiences[l.to]), w.in(l.text)}
	}))
	to.tail("events", events.in(w, func(l line) []string { return []string{since(l.at), l.colour, w.in(l.text)} }))
}

// buildSlots writes the table of slots. On the game's own page (own) it also writes the details of each slot and, in a
// lobby, the open slots.
func (g *watched) buildSlots(to *Values, key string, w words, own bool) {
	var shown []int
	for i, s := range g.snap.Slots {
		if s.Status == w3gs.SlotOccupied || own && !g.playing && s.Status == w3gs.SlotOpen {
			shown = append(shown, i)
		}
	}
	list(to, key, shown, func(i int) int { return i + 1 }, func(at string, i int) {
		g.buildSlot(to, at, &g.snap.Slots[i], w)
		if own {
			g.buildSeat(to, at, &g.snap.Slots[i], w)
		}
	})
}

// buildSlot writes the values of a slot that are on every page.
func (g *watched) buildSlot(to *Values, at string, s *game.SnapshotSlot, w words) {
	who := s.Name
	switch {
	case s.Computer:
		who = w.of("computer")
	case s.Status == w3gs.SlotOpen:
		who = w.of("open")
	}
	to.text(at+"colour", slotColour(s))
	to.text(at+"who", who)
	to.text(at+"team", team(s))
	to.text(at+"race", when(s.Status == w3gs.SlotOccupied, w.in(s.Race)))
	ping, pingState := "", ""
	if s.RTT > 0 && !s.Gone {
		ping, pingState = strconv.FormatInt(s.RTT.Milliseconds(), 10), grade(s.RTT)
	}
	to.text(at+"ping", ping)
	to.text(at+"pingstate", pingState)
	to.text(at+"owner", when(s.Owns, w.of("owner")))
	to.text(at+"percent", when(s.Name != "" && !s.Fake && s.Download < 100, strconv.Itoa(int(s.Download))))
}

// buildSeat writes the values of a slot that only the game's own page shows.
func (g *watched) buildSeat(to *Values, at string, s *game.SnapshotSlot, w words) {
	player := s.Name != "" && !s.Fake
	standing, state := g.slotState(s, w)
	to.text(at+"profile", when(player, Profile(s.Name)))
	to.raw(at+"kick", when(player && !s.Gone, "kick "+Quoted(s.Name)))
	to.text(at+"behind", when(s.Behind > 0 && !s.Gone, strconv.Itoa(s.Behind)))
	to.text(at+"standing", standing)
	to.text(at+"standingstate", state)
}

// slotState returns the state of a player as a text, and the style in which pages show it.
func (g *watched) slotState(s *game.SnapshotSlot, w words) (text, state string) {
	switch {
	case s.Name == "" || s.Fake:
		return "", "none"
	case s.Gone:
		return w.of("gone"), "off"
	case s.Away:
		return w.of("away"), "bad"
	case s.Lags:
		return w.of("lagging"), "bad"
	case !g.playing && s.Ready:
		return w.of("ready"), "good"
	case !g.playing:
		return "", "none"
	case !s.Loaded:
		return w.of("loading"), "warn"
	}
	return w.of("playing"), "on"
}

// grade returns the style in which pages show a round-trip time: good, warn or bad.
func grade(rtt time.Duration) string {
	switch {
	case rtt > 250*time.Millisecond:
		return "bad"
	case rtt > 150*time.Millisecond:
		return "warn"
	}
	return "good"
}

func slotColour(s *game.SnapshotSlot) string {
	if s.Name == "" && !s.Computer {
		return "open"
	}
	return colourName(s)
}

func team(s *game.SnapshotSlot) string {
	if s.Observer || s.Team >= w3gs.MaxSlots {
		return ""
	}
	return strconv.Itoa(int(s.Team) + 1)
}

// Quoted returns a name in quotation marks, as commands take it. It doubles quotation marks in the name, so that a player
// cannot choose a name that makes a button act on another player.
func Quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Profile returns the path of a player's page. The names . and .. go into a query, because browsers would resolve them
// as path elements.
func Profile(name string) string {
	if name == "." || name == ".." {
		return "/players?q=" + name
	}
	return "/players/" + url.PathEscape(name)
}
