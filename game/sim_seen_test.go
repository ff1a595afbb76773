package game

import (
	"fmt"
)

// must is how often a thousand games go through what at least, or the simulation no longer tests it.
var must = map[string]int{
	"started": 500, "resumed": 100, "paused": 20, "voted": 30, "opened again": 15,
	"turn": 50_000, "a turn in more than one packet": 10, "a late host": 10,
	"a lag screen renewed": 10, "a load in game screen renewed": 1,
	"a leave before the first turn": 1, "a leave during a lag screen": 1,
	"player left": 1, "player lagged for too long": 1, "player was voted out while lagging": 1,
	"player was dropped by the host while lagging": 1, "player did not load in time": 1,
	"player fell too far behind as an observer": 1, "player desynced": 1,
	"player sent an action while loading": 1, "player sent an action over 1027 bytes": 1,
	"player acknowledged more turns than were sent": 1, "an observer's late desync": 1,
	"lag: connection, gone false": 1, "lag: computer, gone false": 1, "lag: computer, gone true": 1,
	"period changed, adaptive false": 1, "period changed, adaptive true": 10, "period changed twice by round trip": 1,
	"over: all left": 1, "over: one player left": 1, "over: desync": 1, "over: ended by the host": 1,
}

// note counts what has happened.
func (r *referee) note(fact Fact) {
	t := &r.turns
	switch f := fact.(type) {
	case *Started:
		r.seen["started"]++
	case *LinkResumed:
		r.seen["resumed"]++
	case *Turned:
		r.seen["turn"]++
	case *Emptied:
		switch {
		case !t.started:
			r.seen["a load in game screen renewed"]++
		case t.standing:
			r.seen["a lag screen renewed"]++
		}
	case *LeftGame:
		if t.turns == 0 {
			r.seen["a leave before the first turn"]++
		}
		if t.standing {
			r.seen["a leave during a lag screen"]++
		}
		r.seen["player left"]++
	case *Dropped:
		r.seen["player "+f.Why]++
	case *Desynced:
		if int(f.Turn) <= t.before {
			r.seen["an observer's late desync"]++
		}
	case *PeriodChanged:
		r.seen[fmt.Sprintf("period changed, adaptive %v", f.Adaptive)]++
		if f.Adaptive && t.adapted > 0 {
			r.seen["period changed twice by round trip"]++
		}
	case *Lagged:
		for _, l := range f.Players {
			r.seen[fmt.Sprintf("lag: %v, gone %v", l.Cause, l.Gone)]++
		}
		if len(f.Players) == 0 {
			r.seen["a late host"]++
		}
	case *Over:
		r.seen["over: "+string(f.How)]++
	}
}
