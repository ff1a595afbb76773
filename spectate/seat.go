package spectate

import (
	"cmp"
	"slices"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// Conduct describes what a player did in a recorded game.
type Conduct struct {
	Acts  bool
	First time.Duration // game time of the first action
	Left  bool
	Until time.Duration // game time of the leave
}

// Conducts returns the Conduct of each player by pid. It stops at the first damaged block and returns what it
// has read.
func Conducts(r *replay.Reader) map[uint8]Conduct {
	all := map[uint8]Conduct{}
	now := time.Duration(0)
	for rec, err := range r.Records() {
		if err != nil {
			break // playback ends here as well
		}
		switch rec.Kind {
		case replay.KindTurn, replay.KindTurnPart:
			for pid := range w3gs.Actions(rec.Commands) {
				if c := all[pid]; !c.Acts {
					c.Acts, c.First = true, now
					all[pid] = c
				}
			}
			now += rec.Increment
		case replay.KindLeave:
			c := all[rec.Leave.PID]
			c.Left, c.Until = true, now
			all[rec.Leave.PID] = c
		}
	}
	return all
}

// IdleSeats returns the pids of players who never acted, observers and those who stayed longest first. Only
// from their seats can a client watch: in any other seat it would ignore the recorded actions of that player,
// which it did not send itself, and compute a different game.
func IdleSeats(start *replay.Start, conducts map[uint8]Conduct, observers uint8) []uint8 {
	type seat struct {
		pid      uint8
		observes bool
		Conduct
	}
	var seats []seat
	for _, s := range start.Slots {
		named := slices.ContainsFunc(start.Players, func(p replay.Player) bool { return p.PID == s.PID })
		if c := conducts[s.PID]; s.PID != 0 && named && !c.Acts {
			seats = append(seats, seat{s.PID, s.Team == observers, c})
		}
	}
	slices.SortStableFunc(seats, func(a, b seat) int {
		return cmp.Or(compare(a.Left, b.Left), cmp.Compare(b.Until, a.Until), compare(b.observes, a.observes))
	})
	pids := make([]uint8, len(seats))
	for i, s := range seats {
		pids[i] = s.pid
	}
	return pids
}

// compare orders false before true.
func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
