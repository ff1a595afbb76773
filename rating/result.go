package rating

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Result is how a game ended for one player, by the report of its map: won, lost, drew,
// left, forfeited, disputed, or nothing.
type Result struct {
	Team    int
	Outcome string
}

// The ranks of teams.
const won, drew, lost, left = 1, 2, 3, 4

// ranks orders the teams of a game: for each player the index of their team, or -1
// for players who are not rated, and for each team its rank. ok is false if the results
// do not show who has won: a team both won and lost, senders contradict each other, or
// nobody won and nobody drew.
//
// Members share the result of their team. A team of which all have left has lost,
// and one about which nothing is reported, such as observers, did not play.
func ranks(results []Result) (team, ranks []int, ok bool) {
	words := map[string]int{"won": won, "drew": drew, "lost": lost, "left": left, Forfeited: left}
	best := map[int]int{}
	for _, r := range results {
		if r.Outcome == "disputed" {
			return nil, nil, false
		}
		rank := words[r.Outcome]
		if rank == 0 {
			continue
		}
		was, known := best[r.Team]
		if known && was != left && rank != left && was != rank {
			return nil, nil, false
		}
		if !known || rank < was {
			best[r.Team] = rank
		}
	}
	order := slices.Sorted(maps.Keys(best))
	decided := false
	for _, t := range order {
		decided = decided || best[t] <= drew
		ranks = append(ranks, min(best[t], lost))
	}
	for _, r := range results {
		team = append(team, slices.Index(order, r.Team))
	}
	return team, ranks, decided && len(ranks) >= 2
}

var colours = regexp.MustCompile(`\|(c[0-9a-f]{8}|r)`)

// Category returns the common name of the versions of a map: its name in small
// letters up to the first word with a digit at its beginning or behind a "v".
// "DotA Allstars v6.83d" and "DotA Allstars 6.88" are both "dota allstars". A
// name that begins with such a word keeps it. Colours (|cAARRGGBB … |r) go.
func Category(mapName string) string {
	words := strings.Fields(colours.ReplaceAllString(strings.ToLower(mapName), ""))
	for i, w := range words {
		number := strings.TrimPrefix(w, "v")
		if i > 0 && number != "" && unicode.IsDigit(rune(number[0])) {
			return strings.Join(words[:i], " ")
		}
	}
	return strings.Join(words, " ")
}
