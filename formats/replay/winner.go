package replay

import (
	"maps"

	"w3host/protocol/w3gs"
)

// Result is a player's result, as far as the replay shows it.
type Result uint8

// Results. Unknown is usual if the end of the game was not recorded.
const (
	Unknown Result = iota
	Won
	Lost
	Draw
)

func (r Result) String() string {
	return [...]string{"unknown", "won", "lost", "draw"}[r]
}

// NoTeam is the team of players without a slot, and the winner if it is unknown.
const NoTeam = -1

// findResults determines the players' results and the winning team. It uses the rows of the document's table
// (§5, 0x17) that are not marked as unsafe. A team has won if one of its players has or if all other teams
// have lost; it has lost if all its players have. Computer players never count as lost, because their end is
// not recorded. The recording player is the one who leaves last, at the end of the file; ended is false for
// truncated files, which do not show that player.
func (s *Summary) findResults(ended bool) {
	s.Winner = NoTeam
	draw := false
	for i, l := range s.Leaves {
		pid, result := s.resultOf(i, l.Leave)
		p := s.Player(pid)
		if result == Unknown || p == nil || p.Observer || l.Reason == LeaveLocal && !ended {
			continue
		}
		draw = draw || result == Draw
		if p.Result == Unknown {
			p.Result = result
		} else if p.Result != result {
			p.contradicts = true
		}
	}
	for _, p := range s.Players {
		switch {
		case draw && !p.Observer:
			p.Result = Draw
		case p.contradicts:
			p.Result = Unknown
		}
	}
	if !draw {
		s.findWinner()
	}
}

// resultOf interprets the leave with index i and returns whose result it gives.
func (s *Summary) resultOf(i int, l Leave) (pid uint8, r Result) {
	last := i == len(s.Leaves)-1
	switch l.Reason {
	case LeaveRemote:
		pid = l.PID
	case LeaveLocal:
		pid = s.Leaves[len(s.Leaves)-1].PID // the recording player
		if last && l.Result == w3gs.LeaveLost && i > 0 {
			if before := s.Leaves[i-1].Counter; l.Counter == before+1 {
				return pid, Won
			} else if l.Counter == before {
				return pid, Lost
			}
			return pid, Unknown
		}
	default:
		return l.PID, Unknown
	}
	switch l.Result {
	case w3gs.LeaveLostBuildings:
		r = Lost
	case w3gs.LeaveWon:
		r = Won
	case w3gs.LeaveDraw:
		r = Draw
	}
	return pid, r
}

// findWinner determines the winning team and derives unknown player results from it.
func (s *Summary) findWinner() {
	left, won := map[int]bool{}, map[int]bool{} // by team: a member has not lost; a member has won
	for _, p := range s.Players {
		if p.plays() {
			left[p.Team] = left[p.Team] || p.Result != Lost
		}
		if p.plays() && p.Result == Won {
			won[p.Team] = true
		}
	}
	for _, slot := range s.Slots {
		if slot.Status == w3gs.SlotOccupied && slot.Computer {
			left[int(slot.Team)] = true
		}
	}
	if len(won) == 0 && len(left) > 1 {
		won = left
		maps.DeleteFunc(won, func(_ int, left bool) bool { return !left })
	}
	if len(won) != 1 {
		return
	}
	for team := range won { // exactly one entry
		s.Winner = team
	}
	for _, p := range s.Players {
		switch {
		case p.Result != Unknown || !p.plays():
		case p.Team == s.Winner:
			p.Result = Won
		default:
			p.Result = Lost
		}
	}
}

// plays reports whether the player takes part: not an observer and not without slot.
func (p *PlayerSummary) plays() bool { return !p.Observer && p.Team != NoTeam }
