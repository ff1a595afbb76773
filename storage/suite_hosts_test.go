package storage_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"w3host/storage"
)

// forget makes the database forget the position of run A1, as at a restart.
func forget(t *testing.T, db *storage.Store) error {
	t.Helper()
	_, err := db.EnterHost(t.Context(), storage.Host{ID: hostA, Run: runA2, Name: "a"})
	return err
}

func enter(t *testing.T, db *storage.Store, id, run, name string) int {
	t.Helper()
	n, err := db.EnterHost(t.Context(), storage.Host{ID: id, Run: run, Name: name, Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func testDeadHosts(t *testing.T, db *storage.Store) {
	ctx := t.Context()
	enter(t, db, hostA, runA1, "alpha")
	enter(t, db, hostB, runB1, "beta")
	running, ended, ofB := storage.NewGameKey(), storage.NewGameKey(), storage.NewGameKey()
	apply(
		t, db,
		storage.GameCreated{Game: running, At: day, Name: "running"}, storage.GameStarted{Game: running, At: after(time.Minute)},
		storage.GameCreated{Game: ended, At: day, Name: "ended"}, storage.GameEnded{Game: ended, At: after(time.Hour), How: storage.EndFinished},
	)
	applyAs(t, db, hostB, runB1, 1, storage.GameCreated{Game: ofB, At: day, Name: "of beta"})

	// Alpha comes back: its own games only.
	if n := enter(t, db, hostA, runA2, "alpha"); n != 1 {
		t.Errorf("%d games closed, want 1", n)
	}
	if g := game(t, db, running); g.Ended != storage.EndCrashed || g.EndedAt.Before(after(time.Minute)) {
		t.Errorf("running: %+v", g.Game)
	}
	if g := game(t, db, ended); g.Ended != storage.EndFinished || !g.EndedAt.Equal(after(time.Hour)) {
		t.Errorf("ended: %+v", g.Game)
	}
	if g := game(t, db, ofB); g.Ended != "" {
		t.Errorf("a live host's game: %+v", g.Game)
	}

	// Beta is looked at, sends a heartbeat, and keeps its game; then not.
	a := storage.Host{ID: hostA, Run: runA2, Name: "alpha"}
	look := func() storage.HostStatus {
		t.Helper()
		others, err := db.OtherHosts(ctx, a)
		if err != nil || len(others) != 1 || others[0].ID != hostB || others[0].Name != "beta" {
			t.Fatalf("others: %+v, %v", others, err)
		}
		return others[0]
	}
	seen := look()
	time.Sleep(5 * time.Millisecond) // of the database's clock
	if err := db.Beat(ctx, storage.Host{ID: hostB, Run: runB1, Name: "beta"}); err != nil {
		t.Fatal(err)
	}
	if n, err := db.CloseGamesOf(ctx, seen); n != 0 || err != nil {
		t.Errorf("closed %d games of a live host, %v", n, err)
	}
	if n, err := db.CloseGamesOf(ctx, look()); n != 1 || err != nil {
		t.Errorf("closed %d games of a dead host, %v", n, err)
	}
	if others, err := db.OtherHosts(ctx, a); len(others) != 0 || err != nil {
		t.Errorf("others without games: %+v, %v", others, err)
	}
	// It was only cut off: its own word is the last.
	applyAs(t, db, hostB, runB1, 2, storage.GameEnded{Game: ofB, At: after(time.Hour), How: storage.EndFinished})
	if g := game(t, db, ofB); g.Ended != storage.EndFinished {
		t.Errorf("after its host came back: %+v", g.Game)
	}

	if err := db.LeaveHost(ctx, a); err != nil {
		t.Fatal(err)
	}
	hosts, err := db.Hosts(ctx)
	if err != nil || len(hosts) != 2 {
		t.Fatalf("hosts: %+v, %v", hosts, err)
	}
	for _, h := range hosts {
		if h.StoppedAt.IsZero() == (h.ID == hostA) || time.Since(h.Heartbeat).Abs() > time.Minute {
			t.Errorf("host %+v", h)
		}
	}
}

func testGames(t *testing.T, db *storage.Store) {
	var keys []storage.GameKey
	for i := range 5 {
		k := storage.NewGameKeyAt(after(time.Duration(i) * time.Minute))
		keys = append(keys, k)
		records := []storage.Record{storage.GameCreated{
			Game: k, At: after(time.Duration(i) * time.Minute), Name: fmt.Sprint("game ", i),
			Map: storage.MapID{Name: fmt.Sprint("Map ", i%3), SHA1: [20]byte{byte(i%3 + 1)}},
		}}
		if i%2 == 0 {
			records = append(records, storage.GameStarted{Game: k, Slots: []storage.StartedSlot{{PID: 1, Name: "Ann", Occupant: storage.OccupantPlayer}}})
		}
		if i < 3 {
			records = append(records, storage.GameEnded{Game: k, At: after(time.Hour), How: storage.EndClosed})
		}
		applyAs(t, db, hostA, runA1, uint64(10*i+1), records...)
	}
	tests := []struct {
		filter storage.GameFilter
		want   []int
	}{
		{storage.GameFilter{}, []int{4, 3, 2, 1, 0}},
		{storage.GameFilter{Limit: 2}, []int{4, 3}},
		{storage.GameFilter{Open: true}, []int{4, 3}},
		{storage.GameFilter{Player: "ANN"}, []int{4, 2, 0}},
		{storage.GameFilter{Before: after(2 * time.Minute)}, []int{1, 0}},
		{storage.GameFilter{Player: "ann", Open: true, Limit: 9}, []int{4}},
		{storage.GameFilter{Player: "nobody"}, nil},
		{storage.GameFilter{Since: after(2 * time.Minute)}, []int{4, 3, 2}},
		{storage.GameFilter{Since: after(time.Minute), Before: after(3 * time.Minute), Player: "ann"}, []int{2}},
		{storage.GameFilter{Map: "mAP 1"}, []int{4, 1}},
		{storage.GameFilter{Map: "map", Limit: 2}, []int{4, 3}},
		{storage.GameFilter{Map: "map_1"}, nil},
		{storage.GameFilter{Map: "map", Player: "ann"}, []int{4, 2, 0}},
		{storage.GameFilter{Map: "map 1", Player: "ann"}, []int{4}},
		{storage.GameFilter{Map: "map 2", Player: "ann"}, []int{2}},
		{storage.GameFilter{Map: "map", Player: "nobody"}, nil},
		{storage.GameFilter{Map: "map 0", Open: true}, []int{3}},
		{storage.GameFilter{Map: "map 1", Player: "ann", Open: true}, []int{4}},
		{storage.GameFilter{Map: "map 2", Player: "ann", Open: true}, nil},
	}
	for _, tt := range tests {
		games, err := db.Games(t.Context(), tt.filter)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, g := range games {
			got = append(got, slices.Index(keys, g.Key))
		}
		equal(t, fmt.Sprintf("%+v", tt.filter), got, tt.want)
	}
}
