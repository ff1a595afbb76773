package game

import (
	"fmt"

	"w3host/protocol/w3gs"
)

// groups sorts the players who have answered a turn by their answers.
func (t *turnLedger) groups(turn int) map[uint32]w3gs.PIDs {
	groups := map[uint32]w3gs.PIDs{}
	for pid := range t.live.All() {
		if turn > 0 && len(t.sums[pid]) >= turn {
			groups[t.sums[pid][turn-1]] |= w3gs.Only(pid)
		}
	}
	return groups
}

// checkAnswers checks that no desync goes unseen.
func (t *turnLedger) checkAnswers() error {
	if t.differs&^t.losers != 0 {
		return fmt.Errorf("%b has answered a settled turn otherwise, and the desync is not seen", t.differs)
	}
	least := t.turns
	for pid := range (t.live &^ t.skipped).All() {
		least = min(least, len(t.sums[pid]))
	}
	var first []uint32
	for pid := range t.live.All() {
		if sums := t.sums[pid]; least > 0 && len(sums) >= least {
			if first == nil {
				first = sums
			}
			if sums[least-1] != first[least-1] {
				return fmt.Errorf("turn %d is answered by all, and the desync is not seen", least)
			}
		}
	}
	return nil
}

// largest is the answer of the most players, and whether others have as many.
func largest(groups map[uint32]w3gs.PIDs) (sum uint32, tie bool) {
	most := 0
	for s, pids := range groups {
		if n := pids.Len(); n > most {
			sum, most, tie = s, n, false
		} else if n == most {
			tie = true
		}
	}
	return sum, tie
}

// settles checks the answer that holds for a turn.
func (t *turnLedger) settles(f *Settled) error {
	if int(f.Turn) != len(t.settled)+1 || int(f.Turn) > t.turns {
		return fmt.Errorf("turn %d of %d is settled behind %d", f.Turn, t.turns, len(t.settled))
	}
	for pid := range (t.live &^ t.skipped).All() {
		if len(t.sums[pid]) < int(f.Turn) && !(t.exempt(pid) && t.behind(pid) > t.limit) {
			return fmt.Errorf("turn %d is settled, and pid %d has not answered it", f.Turn, pid)
		}
	}
	if sum, tie := largest(t.groups(int(f.Turn))); tie || sum != uint32(f.Hash) {
		return fmt.Errorf("turn %d is settled as %08x, want %08x, tie %v", f.Turn, f.Hash, sum, tie)
	}
	t.settled = append(t.settled, uint32(f.Hash))
	return nil
}

// desynced counts the vote of hashes again.
func (t *turnLedger) desynced(f *Desynced) error {
	if n := len(f.Past); n == 0 || n > 50 || f.Past[n-1].Number != f.Turn {
		return fmt.Errorf("the dossier of turn %d has %d turns", f.Turn, n)
	}
	want := t.groups(int(f.Turn))
	sum, tie := largest(want)
	after := int(f.Turn) <= t.before // an observer's answer to a turn that was settled without them
	if after {
		sum, tie = t.settled[f.Turn-1], false
	}
	if f.Ends != tie || len(f.Groups) != len(want) {
		return fmt.Errorf("the desync of turn %d ends the game: %v, with the groups %+v, want %v", f.Turn, f.Ends, f.Groups, want)
	}
	t.tied = tie
	for _, g := range f.Groups {
		if want[uint32(g.Hash)] != g.PIDs || g.GoesOn != (!tie && uint32(g.Hash) == sum) {
			return fmt.Errorf("the desync of turn %d has the group %+v; want %v, of which %08x goes on", f.Turn, g, want, sum)
		}
		if !g.GoesOn {
			t.losers |= g.PIDs
		}
	}
	for pid := range t.losers.All() {
		if after && !t.exempt(pid) {
			return fmt.Errorf("the desync of turn %d, settled before, drops pid %d", f.Turn, pid)
		}
	}
	return nil
}
