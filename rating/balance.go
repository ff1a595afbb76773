package rating

import "math"

// Seat is a player for Balance.
type Seat struct {
	Skill
	Team int // at present
}

// Balance deals players to the teams anew, so that the strongest and the weakest
// team are as close as they can be; no team changes its size. Among deals that
// are as close as each other it takes the one that moves the fewest players. It
// gives the team of each seat, and tries every deal: up to 12 players in 4 teams
// take milliseconds.
func Balance(seats []Seat, teams int) []int {
	b := balancer{
		seats: seats, free: make([]int, teams), sums: make([]int64, teams),
		deal: make([]int, len(seats)), spread: math.MaxInt64,
	}
	if teams == 0 {
		return b.deal
	}
	b.skills = make([]int64, len(seats))
	for i, s := range seats {
		b.skills[i] = int64(math.Round(s.Mu * 1000)) // whole numbers: sums do not depend on their order
		b.total += b.skills[i]
		b.free[s.Team]++
	}
	for _, n := range b.free {
		if n > 0 {
			b.playing++
		}
	}
	b.try(0, 0, 0)
	return b.best
}

type balancer struct {
	seats   []Seat
	skills  []int64
	total   int64
	playing int64 // teams with a player

	free []int   // places left in each team
	sums []int64 // of those dealt
	deal []int

	best   []int
	spread int64 // of best
	moves  int
}

// try deals seat i and all behind it. least is a bound of the spread from the
// teams that are whole.
func (b *balancer) try(i, moves int, least int64) {
	if b.best != nil && (least > b.spread || least == b.spread && moves >= b.moves) {
		return
	}
	if i == len(b.seats) {
		spread := b.spreadNow()
		if b.best == nil || spread < b.spread || spread == b.spread && moves < b.moves {
			b.best = append(b.best[:0], b.deal...)
			b.spread, b.moves = spread, moves
		}
		return
	}
	own := b.seats[i].Team
	b.put(i, own, moves, least)
	for team := range b.free {
		if team != own {
			b.put(i, team, moves+1, least)
		}
	}
}

func (b *balancer) put(i, team, moves int, least int64) {
	if b.free[team] == 0 {
		return
	}
	b.free[team]--
	b.sums[team] += b.skills[i]
	b.deal[i] = team
	if b.free[team] == 0 { // the mean of all teams lies between the weakest and the strongest
		off := b.sums[team]*b.playing - b.total
		least = max(least, max(off, -off)/b.playing)
	}
	b.try(i+1, moves, least)
	b.sums[team] -= b.skills[i]
	b.free[team]++
}

// spreadNow is between the strongest and the weakest team that has players.
func (b *balancer) spreadNow() int64 {
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for team, sum := range b.sums {
		if b.has(team) {
			low, high = min(low, sum), max(high, sum)
		}
	}
	return high - low
}

func (b *balancer) has(team int) bool {
	for _, t := range b.deal {
		if t == team {
			return true
		}
	}
	return false
}
