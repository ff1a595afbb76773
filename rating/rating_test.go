package rating

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func near(t *testing.T, what string, got, want Skill) {
	t.Helper()
	if math.Abs(got.Mu-want.Mu) > 1e-9 || math.Abs(got.Sigma-want.Sigma) > 1e-9 {
		t.Errorf("%s is %v, not %v", what, got, want)
	}
}

// The figures of OpenSkill's introduction for Plackett–Luce without tau.
func TestReferenceValues(t *testing.T) {
	duel := [][]Skill{{Newcomer()}, {Newcomer()}}
	update(duel, []int{1, 2})
	near(t, "the winner", duel[0][0], Skill{27.63523138347365, 8.065506316323548})
	near(t, "the loser", duel[1][0], Skill{22.36476861652635, 8.065506316323548})

	pairs := [][]Skill{{Newcomer(), {32.444, 5.123}}, {{43.381, 2.421}, {25.188, 6.211}}}
	update(pairs, []int{1, 2})
	near(t, "a", pairs[0][0], Skill{28.669648436582808, 8.071520788025197})
	near(t, "b", pairs[0][1], Skill{33.83086971107981, 5.062772998705765})
	near(t, "c", pairs[1][0], Skill{43.071274808241974, 2.4166900452721256})
	near(t, "d", pairs[1][1], Skill{23.149503312339064, 6.1378606973362135})
}

func TestRate(t *testing.T) {
	// A draw of equals moves nobody, and no team of none or one.
	draw := [][]Skill{{Newcomer()}, {Newcomer()}}
	Rate(draw, []int{1, 1})
	if draw[0][0].Mu != mean || draw[0][0].Sigma >= sigma {
		t.Errorf("after a draw: %v", draw)
	}
	alone := [][]Skill{{Newcomer()}}
	Rate(alone, []int{1})
	near(t, "somebody alone", alone[0][0], Newcomer())
	// The best of two players is found, and doubt does not vanish.
	rnd := rand.New(rand.NewPCG(1, 2))
	a, b := Newcomer(), Newcomer()
	for range 2000 {
		ranks := []int{1, 2}
		if rnd.Float64() < 0.25 {
			ranks = []int{2, 1}
		}
		game := [][]Skill{{a}, {b}}
		Rate(game, ranks)
		a, b = game[0][0], game[1][0]
	}
	if odds := Odds([][]Skill{{a}, {b}}); math.Abs(odds[0]-0.75) > 0.15 || a.Sigma < 0.5 {
		t.Errorf("who wins 3 of 4 games has odds of %.2f, sigma %.2f", odds[0], a.Sigma)
	}
}

func TestRanks(t *testing.T) {
	for _, c := range []struct {
		name    string
		results []Result
		teams   []int
		ranks   []int
		ok      bool
	}{
		{"two teams and an observer", []Result{{0, "won"}, {1, "lost"}, {0, "left"}, {24, ""}}, []int{0, 1, 0, -1}, []int{1, 3}, true},
		{"all of a team have left", []Result{{0, "won"}, {1, "left"}}, []int{0, 1}, []int{1, 3}, true},
		{"a draw", []Result{{0, "drew"}, {1, "drew"}}, []int{0, 1}, []int{2, 2}, true},
		{"nobody has won", []Result{{0, "lost"}, {1, "left"}}, []int{0, 1}, []int{3, 3}, false},
		{"only one team is told of", []Result{{0, "won"}, {1, ""}}, []int{0, -1}, []int{1}, false},
		{"of two minds", []Result{{0, "won"}, {0, "lost"}, {1, "lost"}}, nil, nil, false},
		{"disputed", []Result{{0, "won"}, {1, "disputed"}}, nil, nil, false},
	} {
		teams, ranks, ok := ranks(c.results)
		if ok != c.ok || !slices.Equal(teams, c.teams) || !slices.Equal(ranks, c.ranks) {
			t.Errorf("%s: %v %v %v", c.name, teams, ranks, ok)
		}
	}
}

// TestForfeit: who has forfeited a game has the skill of a loser, and nobody else notices.
func TestForfeit(t *testing.T) {
	before := []Skill{{25, 8}, {30, 5}, {20, 7}, {27, 3}, {22, 2}}
	game := func(a, b, c, d string) []*Skill {
		return Game([]Result{{0, a}, {0, b}, {1, c}, {1, d}, {12, ""}}, before)
	}
	equal := func(what string, got, want *Skill) {
		t.Helper()
		if *got != *want {
			t.Errorf("%s: %v, want %v", what, *got, *want)
		}
	}
	won, lost, drew := game("won", "won", "lost", "lost"), game("lost", "lost", "won", "won"), game("drew", "drew", "drew", "drew")
	got := game("forfeited", "won", "lost", "forfeited")
	equal("who left the winners", got[0], lost[0])
	equal("their ally", got[1], won[1])
	equal("an opponent", got[2], won[2])
	equal("who left the losers", got[3], won[3])
	got = game("forfeited", "drew", "drew", "drew")
	equal("who left before a draw", got[0], lost[0])
	equal("an opponent in a draw", got[3], drew[3])
	if got := game("forfeited", "forfeited", "won", "won"); *got[0] != *lost[0] || got[4] != nil {
		t.Errorf("all of a team: %v", got)
	}
	if got := game("forfeited", "lost", "lost", "lost"); got != nil {
		t.Errorf("without a winner: %v", got)
	}
}

func TestCategory(t *testing.T) {
	for name, want := range map[string]string{
		"DotA Allstars v6.83d": "dota allstars", "DotA Allstars 6.88 en": "dota allstars",
		"Lost Temple": "lost temple", "3 Lanes": "3 lanes", "|cFFff0000Castle|r Fight v1.14b": "castle fight", "Vampirism  Fire 6": "vampirism fire", "": "",
	} {
		if got := Category(name); got != want {
			t.Errorf("%q is in %q, not %q", name, got, want)
		}
	}
}

// spread is that of a deal, found without Balance.
func spread(seats []Seat, deal []int, teams int) int64 {
	sums, has := make([]int64, teams), make([]bool, teams)
	for i, s := range seats {
		sums[deal[i]] += int64(math.Round(s.Mu * 1000))
		has[deal[i]] = true
	}
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for i, sum := range sums {
		if has[i] {
			low, high = min(low, sum), max(high, sum)
		}
	}
	return high - low
}

// TestBalanceIsExact compares with every deal there is, found by counting.
func TestBalanceIsExact(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		teams, n := 1+rnd.IntN(4), 1+rnd.IntN(8)
		seats, sizes := make([]Seat, n), make([]int, teams)
		for i := range seats {
			seats[i] = Seat{Skill{Mu: float64(rnd.IntN(12) - 3)}, rnd.IntN(teams)}
			sizes[seats[i].Team]++
		}
		least, fewest := int64(math.MaxInt64), n+1
		total := 1
		for range n {
			total *= teams
		}
		for code := range total {
			deal, size, moves, rest := make([]int, n), make([]int, teams), 0, code
			for i := range deal {
				deal[i], rest = rest%teams, rest/teams
				size[deal[i]]++
				if deal[i] != seats[i].Team {
					moves++
				}
			}
			if !slices.Equal(size, sizes) {
				continue
			}
			if s := spread(seats, deal, teams); s < least || s == least && moves < fewest {
				least, fewest = s, moves
			}
		}
		got, moves := Balance(seats, teams), 0
		size := make([]int, teams)
		for i, team := range got {
			size[team]++
			if team != seats[i].Team {
				moves++
			}
		}
		if s := spread(seats, got, teams); s != least || moves != fewest || !slices.Equal(size, sizes) {
			t.Fatalf("%v in %d teams: %v has spread %d with %d moves, not %d with %d", seats, teams, got, s, moves, least, fewest)
		}
	}
}

// hardest is the slowest of many lobbies of 12, with teams of all sizes and skills
// of several kinds.
func hardest(draws int) (worst []Seat, took time.Duration) {
	rnd := rand.New(rand.NewPCG(5, 6))
	sizes := [][]int{{3, 3, 3, 3}, {4, 3, 3, 2}, {4, 4, 3, 1}, {5, 4, 2, 1}, {4, 4, 2, 2}, {5, 3, 2, 2}, {4, 4, 4}, {5, 4, 3}, {6, 6}}
	for range draws {
		kind := rnd.IntN(4)
		var seats []Seat
		for team, n := range sizes[rnd.IntN(len(sizes))] {
			for range n {
				mu := rnd.NormFloat64()*sigma + mean
				switch kind {
				case 1: // newcomers, and one who is not
					mu = mean
				case 2: // many deals are as close as each other
					mu = float64(rnd.IntN(3))
				case 3: // no deal is close
					mu = math.Exp2(float64(len(seats)))
				}
				seats = append(seats, Seat{Skill{Mu: mu}, team})
			}
		}
		seats[rnd.IntN(len(seats))].Mu += 1
		began := time.Now()
		Balance(seats, 4)
		if d := time.Since(began); d > took {
			worst, took = seats, d
		}
	}
	return worst, took
}

// BenchmarkBalanceWorst is the hardest of 2000 random lobbies of 12 in up to 4
// teams. It is to stay under 2 ms: the shard waits for it.
func BenchmarkBalanceWorst(b *testing.B) {
	seats, _ := hardest(2000)
	for b.Loop() {
		Balance(seats, 4)
	}
}
