package storage_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"w3host/storage"
)

// publicGame is a match of Ann and Bob on a realm and Lan on the LAN, with everything in it that strangers may not read.
func publicGame(n int, name string, private, chat, ends bool) (storage.GameKey, []storage.Record) {
	k, at := storage.NewGameKeyAt(after(time.Duration(n)*time.Hour)), after(time.Duration(n)*time.Hour)
	addr := netip.MustParseAddr("198.51.100.77")
	records := []storage.Record{
		storage.GameCreated{
			Game: k, At: at, Name: name, Private: private, Version: "1.26", Map: storage.MapID{Name: "Harrow Bridge v2", Path: `Maps\Download\Bridge.w3x`, SHA1: [20]byte{7}},
			Settings: storage.Settings{PublicChat: chat},
		},
	}
	started := storage.GameStarted{Game: k, At: at.Add(time.Minute)}
	for i, p := range []struct{ name, realm string }{{"Ann", "home"}, {"Bob", "home"}, {"Lan", ""}} {
		pid := uint8(i + 1)
		records = append(records, storage.PlayerJoined{Game: k, At: at, PID: pid, Name: p.name, Realm: p.realm, Addr: addr})
		started.Slots = append(started.Slots, storage.StartedSlot{Slot: uint8(i), PID: pid, Occupant: storage.OccupantPlayer, Name: p.name, Realm: p.realm, Addr: addr, Team: uint8(i % 2), Colour: uint8(i)})
	}
	records = append(records, started, storage.GameLoaded{Game: k, At: at.Add(2 * time.Minute)})
	for scope, text := range map[storage.ChatScope]string{
		storage.ChatAll: "gl hf", storage.ChatAllies: "secret allies", storage.ChatPrivate: "secret whisper", storage.ChatLobby: "secret lobby", storage.ChatObservers: "secret observers",
	} {
		records = append(records, storage.ChatLine{Game: k, At: at.Add(3 * time.Minute), Turn: 1, PID: 1, Name: "Ann", Scope: scope, Text: text})
	}
	records = append(records, storage.ChatLine{Game: k, At: at.Add(3 * time.Minute), Turn: 1, PID: 3, Name: "Lan", Scope: storage.ChatAll, Text: "said on the LAN"},
		storage.LagEvent{Game: k, At: at.Add(4 * time.Minute), PID: 2, Lasted: 5 * time.Second, Cause: "connection"},
		storage.DropEvent{Game: k, At: at.Add(5 * time.Minute), PID: 2, Reason: "secret reason", By: "secret admin"},
		storage.PlayerLeft{Game: k, At: at.Add(5 * time.Minute), PID: 2, Reason: "secret ban"},
		storage.AdminAction{Game: k, At: at, Who: "secret admin", Action: "ban", On: "Bob", Detail: "secret reason"})
	for pid, outcome := range []string{"", "won", "lost", "won"} {
		if outcome != "" {
			records = append(records, storage.PlayerResult{Game: k, Source: storage.SourceW3MMD, Sender: 1, PID: uint8(pid), Name: storage.ResultOutcome, Value: outcome},
				storage.PlayerResult{Game: k, Source: storage.SourceW3MMD, Sender: 1, PID: uint8(pid), Name: "kills", Value: fmt.Sprint(pid)})
		}
	}
	if ends {
		records = append(records, storage.GameEnded{Game: k, At: at.Add(30 * time.Minute), How: storage.EndFinished, Played: 28 * time.Minute})
	}
	return k, records
}

// testPublic reads what strangers may: no private game, no address, no chat but to all, no hidden name.
func testPublic(t *testing.T, db *storage.Store) {
	seq := uint64(1)
	play := func(n int, name string, private, chat, ends bool) storage.GameKey {
		k, records := publicGame(n, name, private, chat, ends)
		applyAs(t, db, hostA, runA1, seq, records...)
		seq += uint64(len(records))
		return k
	}
	first := play(1, "Bob's bridge", false, true, true)
	second := play(2, "quiet", false, false, true)
	private := play(3, "secret game", true, true, true)
	running := play(4, "running", false, true, false)
	list := func(names storage.PublicNames, f storage.PublicFilter) (keys []storage.GameKey, text string) {
		t.Helper()
		f.Limit = 10
		all, err := db.PublicMatches(t.Context(), names, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			keys = append(keys, m.Key)
		}
		raw, _ := json.Marshal(all)
		return keys, string(raw)
	}
	whole := func(key storage.GameKey, names storage.PublicNames) (*storage.PublicDetail, string) {
		t.Helper()
		g, err := db.PublicGame(t.Context(), names, key)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := json.Marshal(g)
		return g, string(raw)
	}
	both := []storage.GameKey{second, first}
	for what, f := range map[string]storage.PublicFilter{
		"all": {}, "of a player": {Player: "ANN", Realm: "home"}, "of a map": {Maps: []string{"0700000000000000000000000000000000000000", "x"}},
	} {
		keys, text := list(storage.PublicNames{}, f)
		equal(t, what, keys, both)
		if strings.Contains(text, "secret") || strings.Contains(text, "198.51") || strings.Contains(text, "Lan") || !strings.Contains(text, "Ann") {
			t.Errorf("%s: %s", what, text)
		}
	}
	keys, _ := list(storage.PublicNames{}, storage.PublicFilter{Before: second})
	equal(t, "older", keys, []storage.GameKey{first})
	keys, _ = list(storage.PublicNames{}, storage.PublicFilter{Player: "Ann", Realm: "other"})
	equal(t, "of another realm", keys, []storage.GameKey(nil))

	g, text := whole(first, storage.PublicNames{})
	if len(g.Chat) != 1 || g.Chat[0].Text != "gl hf" || len(g.Lags) != 1 || g.Seats[0].Values["kills"] != 1 || g.Seats[1].Outcome != "won" {
		t.Errorf("%s", text)
	}
	if strings.Contains(text, "secret") || strings.Contains(text, "198.51") || strings.Contains(text, "Lan") || strings.Contains(text, "LAN") {
		t.Errorf("a match tells %s", text)
	}
	if g, _ := whole(first, storage.PublicNames{LAN: true}); len(g.Chat) != 2 {
		t.Errorf("with names of the LAN: %+v", g.Chat)
	}
	if g, text := whole(second, storage.PublicNames{}); len(g.Chat) != 0 {
		t.Errorf("chat that the entry does not allow: %s", text)
	}
	if g, text := whole(running, storage.PublicNames{}); len(g.Lags)+len(g.Chat) != 0 || !g.EndedAt.IsZero() || strings.Contains(text, "kills") {
		t.Errorf("a running match tells %s", text)
	}
	if _, err := db.PublicGame(t.Context(), storage.PublicNames{}, private); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a private match: %v", err)
	}

	if err := db.Hide(t.Context(), "bob"); err != nil {
		t.Fatal(err)
	}
	wantError(t, "again", db.Hide(t.Context(), "BOB"), storage.ErrConflict, "is hidden already")
	hidden, err := db.Hidden(t.Context())
	equal(t, "hidden", hidden, []string{"bob"})
	if _, text := whole(first, storage.PublicNames{}); err != nil || strings.Contains(text, "Bob") || !strings.Contains(text, "…'s bridge") {
		t.Errorf("a hidden player is in %s", text)
	}
	if err := db.Unhide(t.Context(), "Bob"); err != nil {
		t.Fatal(err)
	}
	wantError(t, "again", db.Unhide(t.Context(), "Bob"), storage.ErrNotFound, "is not hidden")
	if _, err := db.Forget(t.Context(), "Bob"); err != nil {
		t.Fatal(err)
	}
	if _, text := whole(first, storage.PublicNames{}); strings.Contains(text, "Bob") || strings.Contains(text, `"Name":"forgotten-`) {
		t.Errorf("a forgotten player is in %s", text)
	}
}

// testMapPages counts public games by map, and counts the games of a log again that an older program has written.
func testMapPages(t *testing.T, db *storage.Store) {
	seq := uint64(1)
	for n, private := range []bool{false, false, true} {
		_, records := publicGame(n, "game", private, false, true)
		for i, hero := range []string{"Tidecaller", "Bog Shaman"} {
			last := len(records) - 1
			records = append(records[:last:last], storage.PlayerResult{Game: records[0].(storage.GameCreated).Game, Source: storage.SourceW3MMD, Sender: 1, PID: uint8(i + 1), Name: "hero", Value: hero}, records[last])
		}
		applyAs(t, db, hostA, runA1, seq, records...)
		seq += uint64(len(records))
	}
	check := func(what string) {
		t.Helper()
		maps, err := db.PublicMaps(t.Context())
		if err != nil || len(maps) != 1 || maps[0].Category != "harrow bridge" || maps[0].Games() != 2 || maps[0].Versions[0].Last != 20261120 || maps[0].Versions[0].MapName != "Harrow Bridge v2" {
			t.Fatalf("%s: %+v %v", what, maps, err)
		}
		stats, err := db.MapStats(t.Context(), maps[0].SHA1s(), 20261101, 9)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, what, stats, &storage.MapStats{
			Days: []storage.MapCount{{Number: 20261120, Games: 2}}, Minutes: []storage.MapCount{{Number: 28, Games: 2}},
			Teams:  []storage.MapCount{{Number: 0, Games: 2, Won: 2}, {Number: 1, Games: 2}},
			Places: []storage.MapCount{{Number: 0, Games: 2, Won: 2}, {Number: 1, Games: 2}, {Number: 2, Games: 2, Won: 2}},
			Heroes: []storage.MapHero{{Hero: "Bog Shaman", Games: 2}, {Hero: "Tidecaller", Games: 2, Won: 2}},
		})
		records, err := db.MapRecords(t.Context(), maps[0].SHA1s())
		if err != nil || len(records) != 3 || records[1].Name != "kills" || records[1].Number != 3 || records[1].PID != 3 || records[2].Number != 28*60*1000 {
			t.Errorf("%s: records %+v, %v", what, records, err)
		}
	}
	check("as games end")
	steps, err := db.Migrations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range len(steps) - 7 { // to the schema without pages of maps
		if _, err := db.MigrateDown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.MigrateUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("after an upgrade")
}
