// Package leavers observes the events of a game and reports players who left early and so spoiled the game
// for their team.
//
// New returns a Watch for one game. Package daemon uses it for leaver bans, package record/gamelog for the
// rule that leavers lose. It only judges; it bans nobody.
package leavers

import (
	"time"

	"w3host/game"
	"w3host/protocol/w3gs"
)

const (
	// grace is how long the game must continue after a leave; otherwise the leave was just part of the game's
	// end.
	grace = 2 * time.Minute
	// A leaving player had connection problems if they were on the lag screen for at least failing within the
	// time lately before the leave.
	failing = 5 * time.Second
	lately  = time.Minute
	// patience is how long a player must wait for lagging players before leaving is excused.
	patience = time.Minute
)

// Watch observes one game.
type Watch struct {
	report func(game.Player)
	teams  map[uint8]uint8 // team of each player still in the game, by pid
	left   []leave         // leaves since which the game has not yet lasted for grace

	screen w3gs.PIDs     // players on the lag screen
	stands time.Duration // time since which the lag screen is shown
	lagged map[uint8]lag // last time on the lag screen, by pid
}

// lag is a player's last period on the lag screen.
type lag struct{ waited, until time.Duration }

type leave struct {
	player game.Player
	at     time.Duration
}

// New returns a Watch that calls report for each early leaver. report runs on the goroutine that calls
// Observe and must not block.
func New(report func(game.Player)) *Watch {
	return &Watch{report: report, teams: map[uint8]uint8{}, lagged: map[uint8]lag{}}
}

// Observe processes one event.
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

// excused reports whether the player had connection problems or had waited too long for others.
func (w *Watch) excused(pid uint8, now time.Duration) bool {
	l := w.lagged[pid]
	return w.screen.Has(pid) || w.screen != 0 && now-w.stands >= patience || l.waited >= failing && now-l.until <= lately
}

// spoils reports whether a player left voluntarily over a working connection, leaving allies alone against
// opponents. A client that the map has declared winner or loser sends a different leave reason.
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
