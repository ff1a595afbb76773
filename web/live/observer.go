package live

import (
	"slices"
	"time"

	"w3host/game"
	"w3host/protocol/w3gs"
	"w3host/web/view"
)

// observer turns the facts of one game into events. It runs on the game loop and allocates nothing;
// Live processes the events on its own goroutine.
type observer struct {
	ring  *ring
	start time.Duration // the lobby opened, since 1970
	game  uint32
	key   string
	lates [64]time.Duration
	late  int           // of these, in this second
	until time.Duration // the second ends, since the lobby opened
}

// Observe adds the event for a fact to the ring.
func (o *observer) Observe(s *game.Stamped) {
	if s.Again { // nobody who watches wants it twice
		o.start = since1970() - s.At
		return
	}
	switch f := s.Fact.(type) {
	case *game.Acted, *game.Settled, *game.Emptied: // they are in no page
	case *game.Turned:
		o.turned(s.At, f.Late)
	default:
		if e := o.next(s.At); e != nil {
			e.Kind = view.Changed
			describe(e, f)
		}
		o.ring.put()
	}
}

// next returns the place for an event, or nil if the ring is full and the event is lost.
func (o *observer) next(at time.Duration) *view.Event {
	e := o.ring.next()
	if e != nil {
		e.Game, e.Key, e.At = o.game, o.key, o.start+at
	}
	return e
}

// describe fills in the fields of an event from a fact.
func describe(e *view.Event, fact game.Fact) {
	who := func(kind view.Kind, p *game.Player, text string) {
		e.Kind, e.PID, e.Name, e.Text = kind, p.PID, p.Name, text
	}
	switch f := fact.(type) {
	case *game.Opened:
		e.Kind = view.Opened
	case *game.Joined:
		who(view.Joined, &f.Player, "")
	case *game.LeftLobby:
		who(view.Left, &f.Player, f.Why)
		e.Kicked = f.Kicked
	case *game.LeftGame:
		who(view.Left, &f.Player, f.Why)
		e.Kicked = f.Kicked
	case *game.LinkLost:
		who(view.LinkLost, &f.Player, f.Why)
	case *game.LinkResumed:
		who(view.LinkResumed, &f.Player, "")
	case *game.Said:
		e.Kind, e.PID, e.Name, e.Text, e.To = view.Said, f.PID, f.Name, f.Text, audience(f)
	case *game.HostSaid:
		e.Kind, e.Name, e.Text = view.HostSaid, f.By, f.Text
	case *game.Started:
		e.Kind = view.Started
	case *game.AllLoaded:
		e.Kind = view.Loaded
	case *game.ScreenUp:
		e.Kind = view.LagBegan
	case *game.Lagged:
		e.Kind, e.Line = view.LagEnded, f.Line
	case *game.Desynced:
		e.Kind, e.Line = view.Desynced, f.Line
	case *game.Commanded:
		e.Kind, e.PID, e.Name, e.Text, e.Refused = view.Commanded, f.Caller.PID, f.Caller.Name, f.Line, f.Refused
	case *game.Over:
		e.Kind, e.Text = view.Ended, string(f.How)
	case *game.Closed:
		e.Kind, e.Text = view.Ended, f.Why
	}
}

// audience returns the readers of a chat line. A line in the lobby to one player may be private.
func audience(f *game.Said) view.Audience {
	switch {
	case f.Muted || !f.Game && f.To.Len() == 1:
		return view.ToOne
	case !f.Game || f.Scope == w3gs.ScopeAll:
		return view.ToAll
	case f.Scope == w3gs.ScopeAllies:
		return view.ToAllies
	case f.Scope == w3gs.ScopeObservers:
		return view.ToObservers
	}
	return view.ToOne
}

// turned counts a turn, and adds the counts to the ring once a second.
func (o *observer) turned(at, late time.Duration) {
	if at >= o.until && o.late > 0 {
		seen := o.lates[:o.late]
		slices.Sort(seen)
		if e := o.next(at); e != nil {
			e.Kind, e.Late = view.Turns, view.Lateness{Turns: uint32(o.late), Median: seen[o.late/2], Max: seen[o.late-1]}
		}
		o.ring.put()
		o.late = 0
	}
	if o.late == 0 {
		o.until = at + time.Second
	}
	if o.late < len(o.lates) {
		o.lates[o.late] = late
		o.late++
	}
}
