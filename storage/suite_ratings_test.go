package storage_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"w3host/rating"
	"w3host/storage"
)

// ratedGame is a duel of pid 1 against pid 2 that ends n minutes after the day
// begins.
func ratedGame(n int, mapName string, players [2]string, outcomes [2]string, more ...storage.Record) []storage.Record {
	k := storage.NewGameKey()
	records := []storage.Record{
		storage.GameCreated{Game: k, At: after(time.Duration(n-10) * time.Minute), Map: storage.MapID{Name: mapName, SHA1: [20]byte{1}}},
	}
	var slots []storage.StartedSlot
	for i, name := range players {
		pid := uint8(i + 1)
		records = append(records, storage.PlayerJoined{Game: k, PID: pid, Name: name})
		slots = append(slots, storage.StartedSlot{Slot: uint8(i), PID: pid, Name: name, Team: uint8(i), Occupant: storage.OccupantPlayer})
	}
	slots = append(slots, storage.StartedSlot{Slot: 4, PID: 9, Name: "Watcher", Team: 12, Occupant: storage.OccupantPlayer})
	if len(more) > 0 {
		slots = append(slots, storage.StartedSlot{Slot: 5, Team: 1, Occupant: storage.OccupantComputer})
	}
	records = append(records, storage.PlayerJoined{Game: k, PID: 9, Name: "Watcher"},
		storage.GameStarted{Game: k, At: after(time.Duration(n-9) * time.Minute), Slots: slots})
	for i, o := range outcomes {
		records = append(records, storage.PlayerResult{Game: k, Source: storage.SourceW3MMD, Sender: 1, PID: uint8(i + 1), Name: storage.ResultOutcome, Value: o})
	}
	return append(records, storage.GameEnded{Game: k, At: after(time.Duration(n) * time.Minute), How: storage.EndFinished})
}

// testRatings rates games as they come, and again from the beginning.
func testRatings(t *testing.T, db *storage.Store) {
	seq := uint64(1)
	play := func(records []storage.Record) {
		applyAs(t, db, hostA, runA1, seq, records...)
		seq += uint64(len(records))
	}
	rate := func(want int64) {
		t.Helper()
		if n, err := db.RateGames(t.Context()); err != nil || n != want {
			t.Fatalf("%d games are rated, not %d: %v", n, want, err)
		}
	}
	of := func(name string) storage.Rating {
		t.Helper()
		r, err := db.Rating(t.Context(), name, "", "DotA v6.90")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	rate(0)
	lobby := storage.NewGameKey() // that nobody entered: there are no players at all
	play([]storage.Record{storage.GameCreated{Game: lobby, At: after(0)}, storage.GameEnded{Game: lobby, At: after(0), How: storage.EndClosed}})
	rate(1)
	play(ratedGame(1, "DotA v6.83", [2]string{"Ann", "Bob"}, [2]string{"won", "lost"}))
	rate(1)
	rate(0)
	game := [][]rating.Skill{{rating.Newcomer()}, {rating.Newcomer()}}
	rating.Rate(game, []int{1, 2})
	ann := game[0][0]
	want := storage.Rating{Name: "Ann", Category: "dota", Mu: ann.Mu, Sigma: ann.Sigma, Points: ann.Points(), Games: 1, Place: 1, Of: 2}
	if got := of("ANN"); got != want {
		t.Errorf("Ann has %+v, not %+v", got, want)
	}
	if got := of("bob"); got.Place != 2 || got.Mu != game[1][0].Mu {
		t.Errorf("Bob has %+v", got)
	}
	for _, name := range []string{"Watcher", "Nobody"} {
		if _, err := db.Rating(t.Context(), name, "", "DotA"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What tells nothing changes nothing: a dispute, no result, a computer.
	play(ratedGame(2, "DotA v6.83", [2]string{"Ann", "Bob"}, [2]string{"won", "won"}))
	play(ratedGame(3, "DotA v6.83", [2]string{"Ann", "Bob"}, [2]string{"won", "lost"}, nil))
	play([]storage.Record{storage.GameCreated{Game: storage.NewGameKey(), At: after(0)}})
	rate(2)
	if got := of("Ann"); got.Games != 2 { // both won: a tie for the first place
		t.Errorf("Ann has %+v", got)
	}
	// Another map is another category.
	play(ratedGame(4, "Footmen 5.4", [2]string{"Bob", "Ann"}, [2]string{"won", "lost"}))
	rate(1)
	best, err := db.BestRated(t.Context(), "Footmen", 1)
	if err != nil || len(best) != 1 || best[0].Name != "Bob" || best[0].Of != 2 {
		t.Errorf("best of footmen: %+v, %v", best, err)
	}
	playAtRandom(t, db, play)
	rate(250 - 246)
	testRebuild(t, db, 255)
}

// playAtRandom plays 250 games of six players, and rates now and then.
func playAtRandom(t *testing.T, db *storage.Store, play func([]storage.Record)) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 1))
	for n := range 250 {
		a := rnd.IntN(6)
		b := (a + 1 + rnd.IntN(5)) % 6
		outcomes := [][2]string{{"won", "lost"}, {"lost", "won"}, {"drew", "drew"}, {"left", "won"}}[rnd.IntN(4)]
		play(ratedGame(5+n, "DotA v6.83", [2]string{fmt.Sprint("P", a), fmt.Sprint("P", b)}, outcomes))
		if n%7 == 0 {
			if _, err := db.RateGames(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// testRebuild rates all games anew: it is the same to the last bit, in any batches.
func testRebuild(t *testing.T, db *storage.Store, rated int64) {
	t.Helper()
	before, err := db.BestRated(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	done, err := db.RebuildRatings(t.Context())
	if err != nil || done.Games != rated || done.Refused != 0 {
		t.Errorf("%+v are rated anew: %v", done, err)
	}
	again, err := db.BestRated(t.Context(), "", 100)
	if err != nil || !reflect.DeepEqual(before, again) || len(again) != 10 {
		t.Errorf("ratings were\n%v\nand are\n%v\n%v", before, again, err)
	}
	// A forgotten player keeps a place without a name.
	if _, err := db.Forget(t.Context(), "Ann"); err != nil {
		t.Fatal(err)
	}
	again, err = db.BestRated(t.Context(), "", 100)
	if err != nil || len(again) != 10 || slices.ContainsFunc(again, func(r storage.Rating) bool { return r.Name == "Ann" }) {
		t.Errorf("after Forget: %v, %v", again, err)
	}
}
