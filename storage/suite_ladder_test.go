package storage_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/internal/tier"
	"w3host/rating"
	"w3host/storage"
)

// seasonGames are how many games of a season are simulated: 5,000 in the long tests.
func seasonGames() int { return tier.Pick(600, 5000) }

// simulated is a game as the test knows it.
type simulated struct {
	key            storage.GameKey
	started, ended time.Time
	names          []string
	results        []rating.Result
	counts         bool // for the ladder
}

// simulateSeason plays games of 2 and 4 of 40 players, some of which do not count: disputed, without a result, private, of another
// map, against a computer, with a name that no realm has confirmed. They are applied a bit out of order.
func simulateSeason(t *testing.T, db *storage.Store, from, to time.Time, count int, seed uint64) (games []simulated) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 40))
	var batches [][]storage.Record
	for i := range count {
		at := from.Add(to.Sub(from) * time.Duration(i) / time.Duration(count)).Truncate(time.Millisecond)
		g := simulated{key: storage.NewGameKeyAt(at), started: at.Add(time.Minute), ended: at.Add(time.Duration(10+rnd.IntN(50)) * time.Minute), counts: true}
		size, kind, mapName := 1+rnd.IntN(2), rnd.IntN(20), fmt.Sprintf("Harrow Bridge v%d", rnd.IntN(3))
		if kind == 3 {
			g.counts, mapName = false, "Other Map"
		}
		sha := [20]byte{byte(len(mapName)), mapName[len(mapName)-1]}
		records := []storage.Record{storage.GameCreated{Game: g.key, At: at, Name: "game", Private: kind == 2, Version: "1.26", Map: storage.MapID{Name: mapName, SHA1: sha}}}
		g.counts = g.counts && kind != 2
		start := storage.GameStarted{Game: g.key, At: g.started}
		winner, outcomes := rnd.IntN(2), [2]string{"won", "lost"}
		if kind == 4 {
			outcomes = [2]string{"drew", "drew"}
		}
		var outcome []storage.Record
		for n, who := range rnd.Perm(40)[:2*size] {
			team, pid, realm, name := n%2, uint8(n+1), "home", fmt.Sprintf("Player%d", who)
			if kind == 5 && n == 0 {
				realm, g.counts = "", false
			}
			records = append(records, storage.PlayerJoined{Game: g.key, At: at, PID: pid, Name: name, Realm: realm})
			start.Slots = append(start.Slots, storage.StartedSlot{Slot: uint8(n), PID: pid, Name: name, Realm: realm, Team: uint8(team), Occupant: storage.OccupantPlayer})
			o := outcomes[(team+winner)%2]
			switch {
			case kind == 6 && n == 2: // the second of the first team, if there is one
				o = "left"
			case kind == 7 && n == 1:
				o = rating.Forfeited
			case kind == 1: // no result
				o = ""
			}
			g.names, g.results = append(g.names, name), append(g.results, rating.Result{Team: team, Outcome: o})
			if o != "" {
				outcome = append(outcome, storage.PlayerResult{Game: g.key, Source: storage.SourceW3MMD, Sender: 1, PID: pid, Name: storage.ResultOutcome, Value: o})
			}
			if kind == 8 && n == 0 { // two clients do not agree
				outcome = append(outcome, storage.PlayerResult{Game: g.key, Source: storage.SourceW3MMD, Sender: 2, PID: pid, Name: storage.ResultOutcome, Value: "drew"})
				g.counts = false
			}
		}
		if kind == 9 {
			start.Slots = append(start.Slots, storage.StartedSlot{Slot: 9, Team: 1, Occupant: storage.OccupantComputer})
			g.counts = false
		}
		records = append(append(records, start, storage.GameLoaded{Game: g.key, At: g.started.Add(time.Second)}), outcome...)
		batches = append(batches, append(records, storage.GameEnded{Game: g.key, At: g.ended, How: storage.EndFinished, Played: g.ended.Sub(g.started)}))
		games = append(games, g)
	}
	for i := 0; i+1 < len(batches); i += 7 { // some arrive after later ones
		batches[i], batches[i+1] = batches[i+1], batches[i]
	}
	seq, run := uint64(1), storage.NewGameKey().String()
	for some := range slices.Chunk(batches, 50) {
		records := slices.Concat(some...)
		applyAs(t, db, hostA, run, seq, records...)
		seq += uint64(len(records))
	}
	return games
}

// independently computes a table without the database.
func independently(games []simulated, before map[string]storage.LadderPlayer, carry float64, from, to time.Time) map[string]storage.LadderPlayer {
	table := map[string]storage.LadderPlayer{}
	games = slices.Clone(games)
	slices.SortFunc(games, func(a, b simulated) int {
		if c := a.ended.Compare(b.ended); c != 0 {
			return c
		}
		return strings.Compare(a.key.String(), b.key.String())
	})
	for _, g := range games {
		if !g.counts || g.started.Before(from) || !g.started.Before(to) {
			continue
		}
		skills := make([]rating.Skill, len(g.names))
		for i, name := range g.names {
			skills[i] = rating.Newcomer()
			if p, there := table[name]; there {
				skills[i] = rating.Skill{Mu: p.Mu, Sigma: p.Sigma}
			} else if p, there := before[name]; there {
				skills[i] = rating.Skill{Mu: 25 + carry*(p.Mu-25), Sigma: 25.0/3 + carry*(p.Sigma-25.0/3)}
			}
		}
		for i, s := range rating.Game(g.results, skills) {
			if s == nil {
				continue
			}
			p, letter := table[g.names[i]], ""
			for j, r := range g.results {
				if r.Team == g.results[i].Team && (r.Outcome == "won" || r.Outcome == "lost" || r.Outcome == "drew") && (j == i || letter == "") {
					letter = map[string]string{"won": "W", "lost": "L", "drew": "D"}[r.Outcome]
				}
			}
			switch o := g.results[i].Outcome; {
			case o == "left" || o == rating.Forfeited:
				p.LeftEarly, letter = p.LeftEarly+1, "Q"
			case letter == "W":
				p.Won++
			case letter == "D":
				p.Drawn++
			default:
				p.Lost++
			}
			switch {
			case letter == "W" && p.Streak > 0 || letter != "W" && letter != "D" && p.Streak < 0:
				p.Streak += map[bool]int{true: 1, false: -1}[letter == "W"]
			case letter == "W":
				p.Streak = 1
			case letter == "D":
				p.Streak = 0
			default:
				p.Streak = -1
			}
			p.Games++
			p.Mu, p.Sigma, p.LastGame, p.Name, p.Realm, p.NameKey = s.Mu, s.Sigma, g.ended, g.names[i], "home", strings.ToLower(g.names[i])
			p.Recent = (letter + p.Recent)[:min(len(p.Recent)+1, 10)]
			table[g.names[i]] = p
		}
	}
	return table
}

// testLadder compares the tables of two seasons with those that are computed independently of the log, as the games come, and anew.
func testLadder(t *testing.T, db *storage.Store) {
	first, second, end := day, day.Add(30*24*time.Hour), day.Add(60*24*time.Hour)
	l := storage.Ladder{Slug: "bridge", Maps: []string{"harrow bridge"}, Carry: 0.5, Seasons: []storage.Season{{first, second}, {second, end}, {end, time.Time{}}}}
	count := seasonGames()
	update := func(now time.Time) int64 {
		t.Helper()
		n, err := db.UpdateLadder(t.Context(), l, now)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	compare := func(what string, season int, want map[string]storage.LadderPlayer) {
		t.Helper()
		table, err := db.LadderTable(t.Context(), "bridge", season, 1000)
		if err != nil || len(table) != len(want) || len(want) < 30 {
			t.Fatalf("%s: %d players, not %d: %v", what, len(table), len(want), err)
		}
		if !slices.IsSortedFunc(table, func(a, b storage.LadderPlayer) int { return b.Points() - a.Points() }) {
			t.Errorf("%s: not in order", what)
		}
		for _, p := range table {
			if !reflect.DeepEqual(p, want[p.Name]) {
				t.Errorf("%s: %s has\n%+v, not\n%+v", what, p.Name, p, want[p.Name])
			}
		}
	}
	games := simulateSeason(t, db, first, second, count/2, 1)
	update(second.Add(-time.Hour))
	games = append(games, simulateSeason(t, db, first.Add(time.Hour), second, count/2, 2)...) // of another host, whose records come later
	update(second.Add(-time.Hour))
	games = append(games, simulateSeason(t, db, second, end, count/10, 3)...)
	update(second.Add(time.Hour))
	if n := update(second.Add(time.Hour)); n != 0 {
		t.Errorf("%d games once more", n)
	}
	one := independently(games, nil, 0, first, second)
	two := independently(games, one, 0.5, second, end)
	// Records that are up to two days late are put in their place. Those of the second host are later.
	if n, err := db.RebuildLadder(t.Context(), l, end.Add(time.Hour)); err != nil || n < int64(count/2) {
		t.Fatalf("%d games: %v", n, err)
	}
	compare("season 1 made anew", 1, one)
	compare("season 2 made anew", 2, two)
	update(end.Add(48 * time.Hour))
	seasons, err := db.LadderSeasons(t.Context(), "bridge")
	if err != nil || len(seasons) != 3 || seasons[0].Final || !seasons[1].Final || !seasons[2].Final {
		t.Errorf("%+v %v", seasons, err)
	}
	compare("season 1, final", 1, one)
	// Nothing changes a final table but a rebuild, which has the same result.
	if n := update(end.Add(72 * time.Hour)); n != 0 {
		t.Errorf("%d games in a final season", n)
	}
	if _, err := db.RebuildLadder(t.Context(), l, end.Add(72*time.Hour)); err != nil {
		t.Fatal(err)
	}
	compare("season 1, made anew when it was final", 1, one)
	compare("season 2, made anew when it was final", 2, two)

	best, _ := db.LadderTable(t.Context(), "bridge", 1, 1)
	curve, err := db.LadderCurve(t.Context(), "bridge", 1, best[0].Name, "home", 1000)
	if err != nil || len(curve) != best[0].Games || curve[len(curve)-1].Mu != best[0].Mu {
		t.Errorf("a curve of %d points: %v", len(curve), err)
	}
	changes, err := db.LadderChanges(t.Context(), curve[0].GameKey)
	if err != nil || len(changes) < 2 || changes[0].MuBefore == changes[0].Mu {
		t.Errorf("%+v %v", changes, err)
	}
	if err := db.Hide(t.Context(), best[0].Name); err != nil {
		t.Fatal(err)
	}
	if after, err := db.LadderTable(t.Context(), "bridge", 1, 1); err != nil || after[0].Name == best[0].Name {
		t.Errorf("a hidden player leads: %+v %v", after, err)
	}
}

// testLadderAsGamesCome takes games into a season as they arrive: the table is that of all games in the order of their ends.
func testLadderAsGamesCome(t *testing.T, db *storage.Store) {
	l := storage.Ladder{Slug: "all", Maps: []string{"harrow bridge"}}
	var games []simulated
	from := day
	for i := range 6 {
		games = append(games, simulateSeason(t, db, from, from.Add(12*time.Hour), 30, uint64(10+i))...)
		from = from.Add(6 * time.Hour) // the next ones end before the last of these
		if _, err := db.UpdateLadder(t.Context(), l, from.Add(24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	want := independently(games, nil, 0, day.Add(-time.Hour), day.Add(1000*time.Hour))
	table, err := db.LadderTable(t.Context(), "all", 1, 1000)
	if err != nil || len(table) != len(want) {
		t.Fatalf("%d players, not %d: %v", len(table), len(want), err)
	}
	for _, p := range table {
		equal(t, p.Name, p, want[p.Name])
	}
}
