package rating

import "slices"

// Forfeited is the outcome of a player who has lost by leaving early, whatever became of the team.
const Forfeited = "forfeited"

// Game gives the skills that players have after a game, from those before it. It is nil for a player who did not play,
// and as a whole if the results do not show who has won.
func Game(results []Result, before []Skill) []*Skill {
	team, ranks, ok := ranks(results)
	if !ok {
		return nil
	}
	after := make([]*Skill, len(results))
	rate(before, after, team, ranks, func(int) bool { return true })
	for t, rank := range ranks {
		if rank < lost { // the team of a player who forfeited is behind all others
			worse := slices.Clone(ranks)
			worse[t] = lost + 1
			rate(before, after, team, worse, func(i int) bool { return team[i] == t && results[i].Outcome == Forfeited })
		}
	}
	return after
}

// rate gives the chosen players their skill by these ranks.
func rate(before []Skill, after []*Skill, team, ranks []int, chosen func(player int) bool) {
	teams, at := make([][]Skill, len(ranks)), make([]int, len(team))
	for i, t := range team {
		if t >= 0 {
			at[i] = len(teams[t])
			teams[t] = append(teams[t], before[i])
		}
	}
	Rate(teams, ranks)
	for i, t := range team {
		if t >= 0 && chosen(i) {
			after[i] = &teams[t][at[i]]
		}
	}
}
