package rating

import (
	"math"
	"math/bits"
	"slices"
)

// Seat is a player to be assigned to a team by Balance.
type Seat struct {
	Skill
	Team int // current team
}

// Balance assigns players to teams so that the strongest and the weakest team are as close as possible,
// without changing team sizes. Among equally close assignments it chooses one that moves the fewest players.
// It returns the new team of each seat. The search is exact and takes at most 1.5 ms for 12 players in any
// teams; there may be at most 16 seats.
func Balance(seats []Seat, teams int) []int {
	deal := make([]int, len(seats))
	b := balancer{sums: make([]int64, 1<<len(seats))}
	present := make([]set, teams)
	for i, s := range seats {
		deal[i] = s.Team
		present[s.Team] |= 1 << i
		b.sums[1<<i] = int64(math.Round(s.Mu * 1000)) // integers, so that sums do not depend on their order
	}
	for of := range b.sums {
		low := of & -of
		b.sums[of] = b.sums[low] + b.sums[of&^low]
	}
	var order []int // non-empty teams, largest first, which leaves few choices for the last ones
	for t, who := range present {
		if who != 0 {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(t, u int) int { return present[u].len() - present[t].len() })
	for _, t := range order {
		b.present = append(b.present, present[t])
	}
	b.now = make([]set, len(order))
	b.apart = make([]int64, len(b.sums))
	for i := range b.apart {
		b.apart[i] = -1
	}
	if len(order) < 2 {
		return deal
	}
	b.best = slices.Clone(b.present)
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for _, who := range b.present {
		low, high = min(low, b.sums[who]), max(high, b.sums[who])
	}
	b.spread = high - low // without any move
	b.choose(0, set(len(b.sums)-1), math.MaxInt64, math.MinInt64, 0)
	for i, t := range order {
		for who := b.best[i]; who != 0; who &= who - 1 {
			deal[bits.TrailingZeros16(uint16(who))] = t
		}
	}
	return deal
}

// set is a bit set of seats.
type set uint16

func (s set) len() int { return bits.OnesCount16(uint16(s)) }

// balancer searches all ways to split the seats into groups of the teams' sizes. For teams of equal size it
// tries only one order of their groups; which group becomes which team is decided only for the closest
// groups.
type balancer struct {
	sums    []int64 // sum of skills for each set of seats
	present []set   // current members of the non-empty teams
	now     []set   // groups chosen so far
	apart   []int64 // smallest difference of the last two teams for each set of seats; -1 if not computed yet

	best   []set // best group for each team
	spread int64 // spread of best
	moves  int
}

// choose tries all groups for team i and the following teams from the remaining seats. low and high are the
// lowest and highest sums of the groups chosen so far, and moves is the least number of moves they need.
func (b *balancer) choose(i int, left set, low, high int64, moves int) {
	switch len(b.now) - i {
	case 1:
		b.now[i] = left
		b.compare(max(high, b.sums[left]) - min(low, b.sums[left]))
		return
	case 2: // the spread grows with the difference of the last two teams
		sum, apart := b.sums[left], b.closest(i, left)
		if !b.mayWin(max(high, (sum+apart)/2)-min(low, (sum-apart)/2), moves) {
			return
		}
	}
	b.groups(i, left, func(group set) {
		sum := b.sums[group]
		low, high, moves := min(low, sum), max(high, sum), moves+b.fewest(group)
		if b.mayWin(high-low, moves) {
			b.now[i] = group
			b.choose(i+1, left&^group, low, high, moves)
		}
	})
}

// groups calls try with each possible group for team i from the remaining seats.
func (b *balancer) groups(i int, left set, try func(set)) {
	size, fixed, first := b.present[i].len(), set(0), set(0)
	switch {
	case b.present[len(b.present)-1].len() == size: // all following teams have the same size
		fixed = left & -left
	case i > 0 && b.present[i-1].len() == size:
		first = b.now[i-1] & -b.now[i-1]
	}
	free := left &^ fixed
	for part := free; ; part = (part - 1) & free {
		if group := part | fixed; group.len() == size && group&-group >= first {
			try(group)
		}
		if part == 0 {
			return
		}
	}
}

// closest returns the smallest difference between the last two teams formed from these seats.
func (b *balancer) closest(i int, left set) int64 {
	if b.apart[left] < 0 {
		b.apart[left] = math.MaxInt64
		size := b.present[i].len()
		for group := left; group != 0; group = (group - 1) & left {
			if group.len() == size {
				d := 2*b.sums[group] - b.sums[left]
				b.apart[left] = min(b.apart[left], max(d, -d))
			}
		}
	}
	return b.apart[left]
}

// fewest returns the least number of seats of a group that must move, whichever team of its size it becomes.
func (b *balancer) fewest(group set) int {
	n := math.MaxInt
	for _, team := range b.present {
		if team.len() == group.len() {
			n = min(n, (group &^ team).len())
		}
	}
	return n
}

// mayWin reports whether groups with this spread and number of moves could beat the best.
func (b *balancer) mayWin(spread int64, moves int) bool {
	return spread < b.spread || spread == b.spread && moves < b.moves
}

// compare accepts the groups if they are closer than the best, or equally close with fewer moves.
func (b *balancer) compare(spread int64) {
	if spread > b.spread {
		return
	}
	if spread < b.spread {
		b.spread, b.moves = spread, math.MaxInt
	}
	b.assign(0, 0)
}

// assign tries the groups for each team of their size and keeps the assignment with the fewest moves.
func (b *balancer) assign(team, moves int) {
	if moves >= b.moves {
		return
	}
	if team == len(b.now) {
		copy(b.best, b.now)
		b.moves = moves
		return
	}
	for other := team; other < len(b.now) && b.now[other].len() == b.now[team].len(); other++ {
		b.now[team], b.now[other] = b.now[other], b.now[team]
		b.assign(team+1, moves+(b.now[team]&^b.present[team]).len())
		b.now[team], b.now[other] = b.now[other], b.now[team]
	}
}
