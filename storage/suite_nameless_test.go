package storage_test

import (
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"w3host/storage"
)

// testNameless plays games in which two clients have no name, as those of 3.0 may. The log has their seats. An empty name is
// nobody's: there are no statistics, ratings, other names or rights of it.
func testNameless(t *testing.T, db *storage.Store) {
	ctx := t.Context()
	addr := netip.MustParseAddr("10.0.0.7")
	var key storage.GameKey
	for n := range 2 {
		key = storage.NewGameKey()
		start := after(time.Duration(n) * time.Hour)
		records := []storage.Record{storage.GameCreated{Game: key, At: start, Version: "3.0", Map: storage.MapID{Name: "DotA v6.90", SHA1: [20]byte{1}}}}
		slots := make([]storage.StartedSlot, 3)
		for i, name := range []string{"Ann", "", ""} {
			records = append(records, storage.PlayerJoined{Game: key, At: start, PID: uint8(i + 1), Name: name, Addr: addr})
			slots[i] = storage.StartedSlot{Slot: uint8(i), PID: uint8(i + 1), Name: name, Team: uint8(i), Occupant: storage.OccupantPlayer, Addr: addr}
		}
		records = append(records, storage.GameStarted{Game: key, At: start.Add(time.Minute), Slots: slots},
			storage.ChatLine{Game: key, At: start.Add(2 * time.Minute), PID: 3, Text: "hello"})
		for pid, outcome := range map[uint8]string{1: storage.OutcomeWon, 2: storage.OutcomeLost, 3: storage.OutcomeLost} {
			records = append(records,
				storage.PlayerResult{Game: key, Source: storage.SourceW3MMD, Sender: 1, PID: pid, Name: storage.ResultOutcome, Value: outcome},
				storage.PlayerResult{Game: key, Source: storage.SourceDotA, Sender: 1, PID: pid, Name: "kills", Value: "3"})
		}
		records = append(records, storage.GameEnded{Game: key, At: start.Add(20 * time.Minute), How: storage.EndFinished, Played: 18 * time.Minute})
		applyAs(t, db, hostA, runA1, uint64(100*n+1), records...)
	}
	detail := game(t, db, key)
	var called []string
	for i := range detail.People {
		p := &detail.People[i]
		called = append(called, p.Called())
		if p.Slot != i || (p.Name == "") != (i > 0) {
			t.Errorf("seat %d is logged as %+v", i, p)
		}
	}
	equal(t, "people", called, []string{"Ann", "Player 2", "Player 3"})
	if detail.Players != 3 {
		t.Errorf("%d players are counted", detail.Players)
	}

	if n, err := db.RateGames(ctx); err != nil || n != 2 {
		t.Errorf("%d games are rated: %v", n, err)
	}
	best, err := db.BestRated(ctx, "", 10)
	if err != nil || len(best) != 1 || best[0].Name != "Ann" || best[0].Games != 2 {
		t.Errorf("rated: %+v, %v", best, err)
	}
	for _, name := range []string{"", " "} {
		nobodys(t, db, name)
	}
	if names, err := db.Namesakes(ctx, "Ann", 10); err != nil || len(names) != 0 {
		t.Errorf("other names of Ann's address: %q, %v", names, err)
	}
	last, err := db.LastGameOf(ctx, "Ann")
	if err != nil || len(last.Players) != 3 {
		t.Errorf("Ann's last game: %+v, %v", last, err)
	}
	if ann, err := db.PlayerStats(ctx, "Ann"); err != nil || ann[0].Games != 2 || ann[0].Won != 2 {
		t.Errorf("statistics of Ann: %+v, %v", ann, err)
	}
	if games, err := db.Games(ctx, storage.GameFilter{Player: "Ann"}); err != nil || len(games) != 2 {
		t.Errorf("games of Ann: %d, %v", len(games), err)
	}
	ban, err := db.AddBan(ctx, storage.Ban{Name: "Ann", By: "root"})
	if err != nil || ban.Matches("", addr, "", day) {
		t.Errorf("a ban of Ann keeps out a player without a name: %v", err)
	}
}

// nobodys wants nothing to be known or kept of a name that is empty.
func nobodys(t *testing.T, db *storage.Store, name string) {
	t.Helper()
	ctx := t.Context()
	if _, err := db.PlayerStats(ctx, name); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("statistics of %q: %v", name, err)
	}
	if _, err := db.Rating(ctx, name, "", "DotA v6.90"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("rating of %q: %v", name, err)
	}
	if of, err := db.RatingsOf(ctx, name, "DotA v6.90"); err != nil || len(of) != 0 {
		t.Errorf("ratings of %q: %v, %v", name, of, err)
	}
	if last, err := db.LastGameOf(ctx, name); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("last game of %q: %+v, %v", name, last, err)
	}
	if names, err := db.Namesakes(ctx, name, 10); err != nil || len(names) != 0 {
		t.Errorf("other names of %q: %q, %v", name, names, err)
	}
	if err := db.SetPassword(ctx, name, "hash", "root"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("password of %q: %v", name, err)
	}
	if _, err := db.PasswordHash(ctx, name); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("password of %q: %v", name, err)
	}
	if language, err := db.LanguageOf(ctx, name); err != nil || language != "" {
		t.Errorf("language of %q: %q, %v", name, language, err)
	}
	_, banned := db.AddBan(ctx, storage.Ban{Name: name, By: "root"})
	_, forgotten := db.Forget(ctx, name)
	_, remarked := db.AddRemark(ctx, storage.Remark{Name: name, Line: "x", By: "root"}, day)
	for what, err := range map[string]error{
		"ban": banned, "forget": forgotten, "remark": remarked, "hide": db.Hide(ctx, name), "language": db.SetLanguage(ctx, name, "zh"),
		"admin":  db.AddAdmin(ctx, storage.Admin{Name: name, Role: storage.RoleAdmin, By: "root"}),
		"ignore": db.Ignore(ctx, name, "", "Ann"), "be ignored": db.Ignore(ctx, "Ann", "", name),
	} {
		if !errors.Is(err, storage.ErrRejected) {
			t.Errorf("%s %q: %v", what, name, err)
		}
	}
	if all, err := db.Admins(ctx); err != nil || slices.ContainsFunc(all, func(a storage.Admin) bool { return a.Name == "" }) {
		t.Errorf("admins: %+v, %v", all, err)
	}
}
