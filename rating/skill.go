// Package rating computes players' skill ratings from game results, predicts odds, and balances teams.
//
// Game and Rate update Skill values, Odds predicts results, Balance assigns teams, and Category groups
// versions of a map. Package storage computes ratings with it, package game balances teams, and package
// control/people shows ratings and odds. It is pure and stores nothing.
//
// The ratings follow R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online Ranking", Journal
// of Machine Learning Research 12 (2011), algorithm 4 (Plackett–Luce), with the usual constants of OpenSkill.
package rating

import "math"

// Skill is the estimated strength of a player as a normal distribution.
type Skill struct {
	Mu    float64 // mean
	Sigma float64 // standard deviation
}

// Constants of the model, scaled to the mean of a new player.
const (
	mean  = 25.0
	sigma = mean / 3
	beta2 = sigma * sigma / 4 // variance of a player's performance in a game
	kappa = 0.0001            // smallest factor by which a game reduces the variance
	tau   = mean / 300        // uncertainty added between two games
)

// Newcomer returns the skill of a player without games.
func Newcomer() Skill { return Skill{mean, sigma} }

// Points returns the rating for display, a lower bound of the skill: 0 for a new player, a few thousand at
// the top. It may be negative.
func (s Skill) Points() int { return int(math.Round(100 * (s.Mu - 3*s.Sigma))) }

// Rate updates the teams' skills in place from the result of one game. The lowest rank has won; equal ranks
// are a draw. It does nothing for fewer than two teams.
func Rate(teams [][]Skill, ranks []int) {
	if len(teams) < 2 {
		return
	}
	for _, team := range teams {
		for j := range team {
			team[j].Sigma = math.Hypot(team[j].Sigma, tau)
		}
	}
	update(teams, ranks)
}

// update implements algorithm 4 of the paper.
func update(teams [][]Skill, ranks []int) {
	sums := together(teams)
	c := scale(sums)
	strength := make([]float64, len(teams))
	for i := range sums {
		strength[i] = math.Exp(sums[i].Mu / c)
	}
	behind := make([]float64, len(teams)) // total strength of all teams that did not finish before team q
	ties := make([]float64, len(teams))
	for q := range teams {
		for i := range teams {
			if ranks[i] >= ranks[q] {
				behind[q] += strength[i]
			}
			if ranks[i] == ranks[q] {
				ties[q]++
			}
		}
	}
	for i, team := range teams {
		omega, delta := 0.0, 0.0
		for q := range teams {
			if ranks[q] > ranks[i] {
				continue
			}
			p := strength[i] / behind[q]
			delta += p * (1 - p) / ties[q]
			if q == i {
				omega += (1 - p) / ties[q]
			} else {
				omega -= p / ties[q]
			}
		}
		variance := sums[i].Sigma
		gamma := math.Sqrt(variance) / c
		for j := range team {
			s := &team[j]
			own := s.Sigma * s.Sigma
			s.Mu += own / c * omega
			s.Sigma *= math.Sqrt(max(1-own/(c*c)*delta*gamma, kappa))
		}
	}
}

// Odds returns each team's probability of winning.
func Odds(teams [][]Skill) []float64 {
	sums := together(teams)
	c, top, total := scale(sums), math.Inf(-1), 0.0
	for i := range sums {
		top = max(top, sums[i].Mu)
	}
	odds := make([]float64, len(teams))
	for i := range sums {
		odds[i] = math.Exp((sums[i].Mu - top) / c)
		total += odds[i]
	}
	for i := range odds {
		odds[i] /= total
	}
	return odds
}

// together returns the combined skill of each team: the sums of means and of variances. Its Sigma field holds the variance instead of the
// standard deviation.
func together(teams [][]Skill) []Skill {
	sums := make([]Skill, len(teams))
	for i, team := range teams {
		for _, s := range team {
			sums[i].Mu += s.Mu
			sums[i].Sigma += s.Sigma * s.Sigma
		}
	}
	return sums
}

// scale returns the normalisation for differences between teams.
func scale(sums []Skill) float64 {
	c2 := 0.0
	for _, s := range sums {
		c2 += s.Sigma + beta2
	}
	return math.Sqrt(c2)
}
