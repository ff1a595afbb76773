// Package leavers observes a game's facts, and reports players who have left it early and so spoiled it for
// their team.
package leavers

import (
	"time"

	"w3host/game"
	"w3host/protocol/w3gs"
)

const (
	// grace is how long the game must go on behind a leave, or the leave was only its end.
	grace = 2 * time.Minute
	// A player who was on the lag screen for failing, within so long before the leave, had a line that failed.
	failing = 5 * time.Second
	lately  = time.Minute
	// Nobody has to wait for others longer than patience.
	patience = time.Minute
)

// Watch is the observer of one game.
type Watch struct {
	report func(game.Player)
	teams  map[uint8]uint8 // of players who still play, by pid
	left   []leave         // which the game has not outlasted yet

	screen w3gs.PIDs     // who is on the lag screen
	stands time.Duration // since when it is up, if anybody is
	lagged map[uint8]lag // who was on one, by pid
}

// lag is a player's time on the lag screen.
type lag struct{ waited, until time.Duration }

type leave struct {
	player game.Player
	at     time.Duration
}

// New makes an observer. It calls report on the goroutine of the facts, which must not wait.
func New(report func(game.Player)) *Watch {
	return &Watch{report: report, teams: map[uint8]uint8{}, lagged: map[uint8]lag{}}
}

// Observe takes one fact.
func (w *Watch) Observe(s *game.Stamped) {
	switch f := s.Fact.(type) {
	case *game.Started:
		for _, p := range f.Players {
			if !p.Observer {
				w.teams[p.PID] = p.Team
			}
		}
	case *game.ScreenUp:
		w.screen, w.stands = f.Laggers, s.At
	case *game.Lagged:
		w.screen = 0
		for _, p := range f.Players {
			w.lagged[p.PID] = lag{p.Waited, s.At}
		}
	case *game.LeftGame:
		if w.spoils(f) && !w.excused(f.PID, s.At) {
			w.left = append(w.left, leave{f.Player, s.At})
		}
		delete(w.teams, f.PID)
	case *game.Turned:
		for len(w.left) > 0 && s.At >= w.left[0].at+grace {
			if !s.Again {
				w.report(w.left[0].player)
			}
			w.left = w.left[1:]
		}
	case *game.Decided, *game.Over:
		w.left = nil
	}
}

// excused reports whether a player's own line was failing, or others have kept the game waiting for too long.
func (w *Watch) excused(pid uint8, now time.Duration) bool {
	l := w.lagged[pid]
	return w.screen.Has(pid) || w.screen != 0 && now-w.stands >= patience || l.waited >= failing && now-l.until <= lately
}

// spoils reports whether a player has left by their own will, over a connection that was alive, and leaves
// allies alone against opponents. A client that has lost or won by the map's word says so.
func (w *Watch) spoils(f *game.LeftGame) bool {
	team, played := w.teams[f.PID]
	if !played || !f.Own || f.Reason != w3gs.LeaveLost && f.Reason != w3gs.LeaveDisconnect {
		return false
	}
	allies, opponents := 0, 0
	for pid, other := range w.teams {
		switch {
		case pid == f.PID:
		case other == team:
			allies++
		default:
			opponents++
		}
	}
	return allies > 0 && opponents > 0
}
