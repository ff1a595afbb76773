package gamesync

import (
	"fmt"

	"w3host/w3gs"
)

// note counts what has happened.
func (s *sim) note(e Effect) {
	switch e := e.(type) {
	case *Broadcast:
		switch {
		case e.Frame[1] == byte(w3gs.OpIncomingAction2):
			s.seen["a turn in more than one packet"]++
		case e.Frame[1] != byte(w3gs.OpIncomingAction) || e.Frame[4] != 0 || e.Frame[5] != 0:
		case s.started:
			s.seen["a lag screen renewed"]++
		default:
			s.seen["a load in game screen renewed"]++
		}
	case *PlayerLeft:
		s.seen["player "+string(e.Why)]++
		if e.Why == WhyLeft && !s.present.Has(e.PID) && s.g.Laggers() != 0 {
			s.seen["a leave during a lag screen"]++
		}
		if e.Turn == 0 {
			s.seen["a leave before the first turn"]++
		}
	case *Desync:
		if e.Turn <= s.settled {
			s.seen["an observer's late desync"]++
		}
	case *PeriodChanged:
		s.seen[fmt.Sprintf("period changed, adaptive %v", e.Adaptive)]++
	case *Lag:
		for _, l := range e.Players {
			s.seen[fmt.Sprintf("lag: %v, gone %v", l.Cause, l.Gone)]++
		}
		if len(e.Players) == 0 {
			s.seen["a late host"]++
		}
	case *Over:
		s.seen["over: "+string(e.How)]++
	case *Turn:
		s.seen["turn"]++
	}
}
