package rating

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Result is a player's team and outcome as reported by the map: "won", "lost", "drew", "left", "forfeited",
// "disputed" or "".
type Result struct {
	Team    int
	Outcome string
}

// Ranks of teams; lower is better.
const won, drew, lost, left = 1, 2, 3, 4

// ranks derives the ranking of a game's teams. team holds each player's index into ranks, or -1 for players
// who are not rated. ok is false if the results do not show who won: a team both won and lost, reports
// contradict each other, or nobody won or drew.
//
// Members share the result of their team. A team whose members have all left has lost. A team without
// reported results, such as observers, did not play.
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

// Category returns the name shared by all versions of a map: its name in lower case up to the first word that
// starts with a digit or "v" and a digit. Both "DotA Allstars v6.83d" and "DotA Allstars 6.88" yield "dota
// allstars". If the first word looks like a version, it is kept. Colour codes are removed.
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
