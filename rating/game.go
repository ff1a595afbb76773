package rating

import "slices"

// Forfeited is the outcome of a player who lost by leaving early, whatever the team's result.
const Forfeited = "forfeited"

// Game returns the players' skills after a game, given those before. An entry is nil for a player who did not
// play. It returns nil if the results do not show who won.
func Game(results []Result, before []Skill) []*Skill {
	team, ranks, ok := ranks(results)
	if !ok {
		return nil
	}
	after := make([]*Skill, len(results))
	rate(before, after, team, ranks, func(int) bool { return true })
	for t, rank := range ranks {
		if rank < lost { // for players who forfeited, rank their team last
			worse := slices.Clone(ranks)
			worse[t] = lost + 1
			rate(before, after, team, worse, func(i int) bool { return team[i] == t && results[i].Outcome == Forfeited })
		}
	}
	return after
}

// rate computes skills from the ranks and stores those of the chosen players in after.
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
