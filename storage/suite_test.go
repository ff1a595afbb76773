package storage_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"w3host/storage"
	"w3host/storage/storagetest"
)

const (
	hostA = "01934c3e-5b00-7aaa-8bbb-00000000000a"
	hostB = "01934c3e-5b00-7aaa-8bbb-00000000000b"
	runA1 = "01934c3e-5b00-7aaa-8bbb-0000000000a1"
	runA2 = "01934c3e-5b00-7aaa-8bbb-0000000000a2"
	runB1 = "01934c3e-5b00-7aaa-8bbb-0000000000b1"
)

// day is when everything happens. SQLite keeps milliseconds.
var day = time.Date(2026, 11, 20, 14, 5, 6, 123_000_000, time.UTC)

func after(d time.Duration) time.Time { return day.Add(d) }

// TestStores has every database pass the same tests, each on one of its own.
func TestStores(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) { runSuite(t, database) })
	}
}

func runSuite(t *testing.T, database func(testing.TB) string) {
	tests := map[string]func(*testing.T, *storage.Store){
		"a game from lobby to end":          testWholeGame,
		"a batch counts once":               testApplyOnce,
		"a run is applied again":            testReplay,
		"a pid comes again":                 testPIDAgain,
		"records whose game is unknown":     testUnknownGame,
		"text from the wire":                testHostileText,
		"games of dead hosts":               testDeadHosts,
		"list of games":                     testGames,
		"statistics":                        testStats,
		"players without a name":            testNameless,
		"ratings":                           testRatings,
		"bans":                              testBans,
		"other names of an address":         testNamesakes,
		"admins":                            testAdmins,
		"roles of networks":                 testNetworkRoles,
		"passwords":                         testPasswords,
		"languages":                         testLanguages,
		"ignored players":                   testIgnored,
		"who played a saved game":           testWhoPlayed,
		"remarks":                           testRemarks,
		"saves":                             testSaves,
		"what strangers may read":           testPublic,
		"pages of maps":                     testMapPages,
		"views for own queries":             testViews,
		"queries in the documents":          testDocumentedQueries,
		"ladder":                            testLadder,
		"ladder as games come":              testLadderAsGamesCome,
		"audit log":                         testAudit,
		"changes are told":                  testGuard,
		"migrations there and back":         testMigrations,
		"everything is refused after Close": testClosed,
		"a game that outlives its host":     testToldAgain,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := database(t)
			db := storagetest.Open(t, url)
			urls.Store(db, url)
			test(t, db)
		})
	}
	t.Run("two hosts migrate at once", func(t *testing.T) {
		t.Parallel()
		testMigrateTogether(t, database(t))
	})
}

// apply writes records as host A's first run, numbered from 1.
func apply(t *testing.T, db *storage.Store, records ...storage.Record) {
	t.Helper()
	applyAs(t, db, hostA, runA1, 1, records...)
}

func applyAs(t *testing.T, db *storage.Store, host, run string, first uint64, records ...storage.Record) {
	t.Helper()
	b := storage.Batch{HostID: host, Run: run}
	for i, r := range records {
		b.Records = append(b.Records, storage.SequencedRecord{Seq: first + uint64(i), Record: r})
	}
	if err := db.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func game(t *testing.T, db *storage.Store, key storage.GameKey) *storage.GameDetail {
	t.Helper()
	g, err := db.Game(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// equal compares by JSON, which says in one line what differs.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	t.Errorf("%s\n got %s\nwant %s", what, g, w)
}

func wantError(t *testing.T, what string, err, kind error, text string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(fmt.Sprint(err), text) {
		t.Errorf("%s: %v, want %v with %q", what, err, kind, text)
	}
}

func testWholeGame(t *testing.T, db *storage.Store) {
	k := storage.NewGameKey()
	addr := netip.MustParseAddr("192.0.2.7")
	created := storage.GameCreated{
		Game: k, At: day, Name: "dota -apem", Owner: "Ann", Realm: "europe", Private: true, GameID: 1<<32 - 1, Version: "1.26",
		Map: storage.MapID{
			Name: "DotA", Path: `Maps\Download\DotA.w3x`, Size: 8 << 20, CRC32: 0xDEADBEEF, Checksum: 7, SHA1: [20]byte{1, 19: 20},
		},
		Settings: storage.Settings{Speed: "fast", FixedTeams: true, HCL: "apem"}, Latency: 100 * time.Millisecond, Seed: 42,
	}
	chat := storage.ChatLine{Game: k, At: after(time.Minute), Turn: 600, PID: 2, Name: "Bob", Scope: storage.ChatPrivate, To: "Ann", Text: "gg 当地"}
	lag := storage.LagEvent{
		Game: k, At: after(time.Minute), Turn: 601, PID: 2, Lasted: 3 * time.Second, Behind: 51,
		Ping: 900 * time.Millisecond, HostLate: time.Millisecond, Backlog: 4096, Cause: "connection",
	}
	drop := storage.DropEvent{Game: k, At: after(time.Minute), Turn: 602, PID: 2, Reason: "vote", By: "Ann", Votes: 6}
	lost := storage.LinkEvent{Game: k, At: after(time.Minute), Turn: 602, PID: 2, Reason: "reset"}
	resumed := storage.LinkEvent{Game: k, At: after(time.Minute), Turn: 610, PID: 2, Resumed: true, Away: 12 * time.Second}
	download := storage.MapDownload{Game: k, At: day, PID: 2, Name: "Bob", Bytes: 1 << 40, Took: time.Minute, Complete: true, Detail: "done"}
	apply(
		t, db, created,
		storage.PlayerJoined{Game: k, At: day, PID: 2, Name: "Bob", Realm: "europe", Addr: addr},
		download,
		storage.GameStarted{Game: k, At: after(10 * time.Second), Slots: []storage.StartedSlot{
			{Slot: 0, PID: 2, Occupant: storage.OccupantPlayer, Name: "Bob", Realm: "europe", Addr: addr, Team: 1, Colour: 11, Race: 4, Handicap: 100},
			{Slot: 1, Occupant: storage.OccupantComputer, Colour: 3, Race: 0x20, Handicap: 50, Difficulty: 2},
			{Slot: 2, PID: 3, Occupant: storage.OccupantFake, Name: "dummy", Handicap: 100},
		}, Replay: "early.w3g"},
		storage.PlayerLoaded{Game: k, At: after(22 * time.Second), PID: 2, After: 12 * time.Second},
		storage.GameLoaded{Game: k, At: after(22 * time.Second)},
		chat, lag, lost, resumed, drop,
		storage.Desync{
			Game: k, At: after(time.Minute), Turn: 603,
			Groups:  []storage.HashGroup{{Hash: 1, PIDs: []uint8{3, 1}}, {Hash: 0xFFFFFFFF, PIDs: []uint8{2}, Dropped: true}},
			Dossier: []byte(`{"turns":[1,2]}`),
		},
		storage.PlayerLeft{
			Game: k, At: after(2 * time.Minute), PID: 2, Turn: 980, Code: 7, Reason: "lost", Ping: 45 * time.Millisecond, Actions: 1234,
		},
		storage.GameEnded{
			Game: k, At: after(3 * time.Minute), How: storage.EndFinished, Detail: "nobody left", Turns: 1500, Played: 150 * time.Second, Replay: "a.w3g",
		},
	)
	g := game(t, db, k)
	var settings storage.Settings
	if err := json.Unmarshal(g.Settings, &settings); err != nil || settings != created.Settings {
		t.Errorf("settings %s: %v", g.Settings, err)
	}
	equal(t, "head", g.Game, storage.Game{
		Key: k, Name: "dota -apem", Owner: "Ann", Realm: "europe", Version: "1.26", MapName: "DotA",
		MapSHA1: "0100000000000000000000000000000000000014", Players: 1,
		CreatedAt: day, StartedAt: after(10 * time.Second), LoadedAt: after(22 * time.Second), EndedAt: after(3 * time.Minute),
		Ended: storage.EndFinished, EndedDetail: "nobody left", Turns: 1500, PlayedMS: 150_000, LatencyMS: 100,
		ChatLines: 1, Desyncs: 1, Replay: "a.w3g",
	})
	if g.GameID != 1<<32-1 || !g.Private || g.MapPath != created.Map.Path || g.MapSize != 8<<20 ||
		g.MapCRC32 != "deadbeef" || g.Checksum != "00000007" || g.Seed != 42 {
		t.Errorf("detail %+v", g)
	}
	equal(t, "people", g.People, []storage.GamePlayer{
		{
			PID: 2, Name: "Bob", Realm: "europe", Address: "192.0.2.7", Slot: 0, Team: 1, Colour: 11, Race: 4, Handicap: 100,
			JoinedAt: day, LoadedAfterMS: 12_000, LeftAt: after(2 * time.Minute), LeftTurn: 980, LeftCode: 7, LeftReason: "lost",
			PingMS: 45, Actions: 1234,
		},
		{PID: 3, Name: "dummy", Fake: true, Slot: 2, Handicap: 100},
	})
	equal(t, "computers", g.Computers, []storage.StartedSlot{{
		Slot: 1, Occupant: storage.OccupantComputer, Colour: 3, Race: 0x20, Handicap: 50, Difficulty: 2,
	}})
	equal(t, "chat", g.Chat, []storage.ChatLine{chat})
	equal(t, "lags", g.Lags, []storage.LagEvent{lag})
	equal(t, "links", g.Links, []storage.LinkEvent{lost, resumed})
	equal(t, "drops", g.Drops, []storage.DropEvent{drop})
	equal(t, "downloads", g.Downloads, []storage.MapDownload{download})
	if len(g.Dossiers) != 1 || g.Dossiers[0].Turn != 603 {
		t.Fatalf("dossiers %+v", g.Dossiers)
	}
	sameJSON(t, g.Dossiers[0].Groups, `[{"hash":"00000001","pids":[1,3],"dropped":false},{"hash":"ffffffff","pids":[2],"dropped":true}]`)
	sameJSON(t, g.Dossiers[0].Detail, `{"turns":[1,2]}`)

	_, err := db.Game(t.Context(), storage.NewGameKey())
	wantError(t, "a game that never was", err, storage.ErrNotFound, "game ")
}

func sameJSON(t *testing.T, got json.RawMessage, want string) {
	t.Helper()
	var g, w any
	if err := errors.Join(json.Unmarshal(got, &g), json.Unmarshal([]byte(want), &w)); err != nil || !reflect.DeepEqual(g, w) {
		t.Errorf("JSON %s, want %s (%v)", got, want, err)
	}
}

func line(k storage.GameKey, n int) storage.ChatLine {
	return storage.ChatLine{Game: k, At: day, Name: "Bob", Scope: storage.ChatAll, Text: fmt.Sprint(n)}
}

// said gives the numbers in a game's chat.
func said(g *storage.GameDetail) (all []string) {
	for _, l := range g.Chat {
		all = append(all, l.Text)
	}
	return all
}

// A batch may come again, whole or in part, when its first answer was lost.
func testApplyOnce(t *testing.T, db *storage.Store) {
	k := storage.NewGameKey()
	apply(t, db, line(k, 1), line(k, 2), line(k, 3))
	apply(t, db, line(k, 1), line(k, 2), line(k, 3))
	applyAs(t, db, hostA, runA1, 3, line(k, 3), line(k, 4))
	applyAs(t, db, hostA, runA1, 2, line(k, 2))
	applyAs(t, db, hostA, runA1, 9, line(k, 9)) // numbers may have gaps: lost records
	other := storage.NewGameKey()
	applyAs(t, db, hostA, runA1, 9, line(other, 1)) // the number decides, not what is in it
	_, err := db.Game(t.Context(), other)
	wantError(t, "below the position", err, storage.ErrNotFound, "game")
	equal(t, "chat", said(game(t, db, k)), []string{"1", "2", "3", "4", "9"})
	if err := db.Apply(t.Context(), storage.Batch{HostID: hostA, Run: runA1}); err != nil {
		t.Errorf("an empty batch: %v", err)
	}

	// A batch that fails leaves nothing behind.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = db.Apply(ctx, storage.Batch{HostID: hostA, Run: runA1, Records: []storage.SequencedRecord{{Seq: 10, Record: line(k, 10)}}})
	wantError(t, "a cancelled batch", err, storage.ErrUnavailable, "cancel")
	equal(t, "chat", said(game(t, db, k)), []string{"1", "2", "3", "4", "9"})
}

// Even when its position is forgotten, a run that is applied again from the
// beginning changes nothing.
func testReplay(t *testing.T, db *storage.Store) {
	k := storage.NewGameKey()
	records := []storage.Record{
		storage.GameCreated{Game: k, At: day, Name: "replayed"},
		storage.PlayerJoined{Game: k, At: day, PID: 2, Name: "Bob"},
		storage.PlayerLeft{Game: k, At: day, PID: 2, Reason: "lobby"},
		storage.PlayerJoined{Game: k, At: day, PID: 2, Name: "Cid"},
		storage.GameStarted{Game: k, At: day, Slots: []storage.StartedSlot{
			{PID: 2, Name: "Cid", Occupant: storage.OccupantPlayer}, {Slot: 1, Occupant: storage.OccupantComputer},
		}},
		line(k, 1),
		storage.LagEvent{Game: k},
		storage.DropEvent{Game: k},
		storage.Desync{Game: k},
		storage.MapDownload{Game: k},
		storage.AdminAction{Game: k},
		storage.MapResult{Game: k},
		storage.PlayerResult{Game: k},
		storage.GameEnded{Game: k, At: after(time.Hour), How: storage.EndFinished},
	}
	apply(t, db, records...)
	before := game(t, db, k)
	if err := forget(t, db); err != nil {
		t.Fatal(err)
	}
	apply(t, db, records...)
	now := game(t, db, k)
	now.Host, before.Host = "", "" // it entered in between
	equal(t, "after the replay", now, before)
	if n := raw(t, urlOf(db), "SELECT count(*) FROM audit"); n != 1 {
		t.Errorf("%d lines of audit", n)
	}
}

// In a lobby a pid goes to the next player; what follows is about them.
func testPIDAgain(t *testing.T, db *storage.Store) {
	k := storage.NewGameKey()
	apply(
		t, db,
		storage.PlayerJoined{Game: k, At: day, PID: 1, Name: "Ann"},
		storage.PlayerJoined{Game: k, At: day, PID: 2, Name: "Bob"},
		storage.PlayerLeft{Game: k, At: after(time.Second), PID: 2, Code: 13, Reason: "lobby"},
		storage.PlayerJoined{Game: k, At: after(2 * time.Second), PID: 2, Name: "Cid"},
		storage.GameStarted{Game: k, At: after(3 * time.Second), Slots: []storage.StartedSlot{
			{Slot: 0, PID: 2, Name: "Cid", Occupant: storage.OccupantPlayer}, {Slot: 1, PID: 1, Name: "Ann", Occupant: storage.OccupantPlayer},
		}},
		storage.PlayerLeft{Game: k, At: after(time.Minute), PID: 2, Turn: 5, Code: 7, Reason: "lost"},
	)
	var got []string
	for _, p := range game(t, db, k).People {
		got = append(got, fmt.Sprintf("%d %s slot %d %s", p.PID, p.Name, p.Slot, p.LeftReason))
	}
	equal(t, "people", got, []string{"1 Ann slot 1 ", "2 Bob slot -1 lobby", "2 Cid slot 0 lost"})
}

// When the record of a game's beginning is lost, the rest is still kept.
func testUnknownGame(t *testing.T, db *storage.Store) {
	k := storage.NewGameKey()
	apply(
		t, db,
		storage.PlayerLeft{Game: k, At: day, PID: 4, Turn: 5, Reason: "lost"},
		storage.GameStarted{Game: k, At: day, Slots: []storage.StartedSlot{{PID: 4, Name: "Dan", Occupant: storage.OccupantPlayer}}},
		storage.Desync{Game: k},
		storage.MapResult{Game: k, Name: "Winner", Value: "1"},
		storage.GameEnded{Game: k, At: after(time.Minute), How: storage.EndFinished},
	)
	g := game(t, db, k)
	if g.Ended != storage.EndFinished || len(g.People) != 1 || g.People[0].Name != "Dan" || g.People[0].LeftTurn != 5 {
		t.Errorf("%+v", g)
	}
	// Its beginning, late for whatever reason, fills in and spoils nothing.
	applyAs(t, db, hostA, runA1, 6, storage.GameCreated{Game: k, At: day, Name: "late"})
	if g := game(t, db, k); g.Ended != storage.EndFinished || g.Name != "late" || !g.CreatedAt.Equal(day) {
		t.Errorf("%+v", g.Game)
	}
}

// What clients send as text may be anything; it must not hold up the log.
func testHostileText(t *testing.T, db *storage.Store) {
	for _, text := range []string{
		"", "nul \x00 inside", "not utf-8 \xff\xfe", "'; DROP TABLE games; --", "$1 %s \\", "\u202Eback", strings.Repeat("long ", 20_000),
	} {
		k := storage.NewGameKey()
		apply(
			t, db,
			storage.GameCreated{Game: k, At: day, Name: text, Owner: text, Version: text, Map: storage.MapID{Name: text, Path: text}, Settings: storage.Settings{HCL: text}},
			storage.PlayerJoined{Game: k, PID: 1, Name: text, Realm: text},
			storage.ChatLine{Game: k, Name: text, Scope: storage.ChatScope(text), To: text, Text: text},
			storage.LagEvent{Game: k, Cause: text},
			storage.DropEvent{Game: k, Reason: text, By: text},
			storage.Desync{Game: k, Dossier: []byte(text)},
			storage.Desync{Game: k, Dossier: []byte(`{"nul":"\u0000"}`)},
			storage.MapDownload{Game: k, Name: text, Detail: text},
			storage.AdminAction{Game: k, Who: text, Realm: text, Via: text, Action: text, On: text, Detail: text, Refused: text},
			storage.MapResult{Game: k, Source: storage.ResultSource(text), Name: text, Value: text},
			storage.PlayerResult{Game: k, Source: storage.ResultSource(text), Name: text, Value: text},
			storage.PlayerResult{Game: k, Name: "inf", Value: "+Inf"},
			storage.PlayerLeft{Game: k, PID: 1, Reason: text},
			storage.GameEnded{Game: k, How: storage.EndReason(text), Detail: text, Replay: text},
		)
		want := strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
		g := game(t, db, k)
		if g.Name != want || len(g.Chat) != 1 || g.Chat[0].Text != want || len(g.Dossiers) != 2 || len(g.Results) != 3 {
			t.Errorf("%.20q came back as %.20q", text, g.Name)
		}
		if _, err := db.PlayerStats(t.Context(), text); err != nil && !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("stats of %.20q: %v", text, err)
		}
		// Another run, so that the numbers begin anew.
		if err := forget(t, db); err != nil {
			t.Fatal(err)
		}
	}
}

// raw runs a statement beside storage and gives the number it returns, if any.
func raw(t *testing.T, url, statement string) (n int) {
	t.Helper()
	db := rawDB(t, url)
	defer db.Close()
	var err error
	if strings.HasPrefix(statement, "SELECT") {
		err = db.QueryRowContext(t.Context(), statement).Scan(&n)
	} else {
		_, err = db.ExecContext(t.Context(), statement)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// rawDB opens a database beside storage, until the test ends.
func rawDB(t *testing.T, url string) *sql.DB {
	t.Helper()
	driver, dsn := "pgx", url
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		driver, dsn = "sqlite", "file:"+strings.NewReplacer("#", "%23", "?", "%3f").Replace(path)+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}
