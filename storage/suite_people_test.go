package storage_test

import (
	"context"
	"net/netip"
	"slices"
	"testing"
	"time"

	"w3host/storage"
)

// testStats plays three games of Ann against Bob on two maps.
func testStats(t *testing.T, db *storage.Store) {
	outcome := func(k storage.GameKey, sender, pid uint8, value string) storage.PlayerResult {
		return storage.PlayerResult{Game: k, Source: storage.SourceW3MMD, Sender: sender, PID: pid, Name: storage.ResultOutcome, Value: value}
	}
	kills := func(k storage.GameKey, sender, pid uint8, value string) storage.PlayerResult {
		return storage.PlayerResult{Game: k, Source: storage.SourceDotA, Sender: sender, PID: pid, Name: "kills", Value: value}
	}
	play := func(n int, mapName string, results func(storage.GameKey) []storage.Record) storage.GameKey {
		k := storage.NewGameKey()
		start := after(time.Duration(n) * time.Hour)
		records := []storage.Record{
			storage.GameCreated{Game: k, At: start, Map: storage.MapID{Name: mapName, SHA1: [20]byte{byte(len(mapName))}}},
			storage.PlayerJoined{Game: k, PID: 3, Name: "Visitor"},
			storage.PlayerLeft{Game: k, PID: 3, Code: 13},
			storage.GameStarted{Game: k, At: start.Add(time.Minute), Slots: []storage.StartedSlot{
				{Slot: 0, PID: 1, Name: "Ann", Occupant: storage.OccupantPlayer},
				{Slot: 1, PID: 2, Name: "bob", Occupant: storage.OccupantPlayer},
				{Slot: 2, PID: 4, Name: "Ann", Occupant: storage.OccupantFake},
			}},
			storage.GameLoaded{Game: k, At: start.Add(2 * time.Minute)},
			storage.PlayerLeft{Game: k, At: start.Add(12 * time.Minute), PID: 2, Ping: 40 * time.Millisecond, Actions: 100},
		}
		records = append(records, results(k)...)
		records = append(records, storage.GameEnded{Game: k, At: start.Add(22 * time.Minute), How: storage.EndFinished, Played: 20 * time.Minute})
		applyAs(t, db, hostA, runA1, uint64(100*n+1), records...)
		return k
	}
	play(0, "DotA", func(k storage.GameKey) []storage.Record {
		return []storage.Record{
			outcome(k, 1, 1, storage.OutcomeWon), outcome(k, 2, 1, storage.OutcomeWon), outcome(k, 1, 2, storage.OutcomeLost),
			kills(k, 1, 1, "10"), kills(k, 2, 1, "10"), kills(k, 1, 2, "3"),
			storage.LagEvent{Game: k, PID: 2},
			storage.LagEvent{Game: k, PID: 2},
			storage.DropEvent{Game: k, PID: 2},
		}
	})
	disputed := play(1, "DotA", func(k storage.GameKey) []storage.Record {
		return []storage.Record{
			outcome(k, 1, 1, storage.OutcomeWon), outcome(k, 2, 1, storage.OutcomeLost), outcome(k, 2, 2, storage.OutcomeWon),
			kills(k, 1, 1, "99"), kills(k, 2, 1, "1"),
			storage.MapResult{Game: k, Source: storage.SourceDotA, Sender: 1, Name: "Winner", Value: "1"},
			storage.MapResult{Game: k, Source: storage.SourceDotA, Sender: 2, Name: "Winner", Value: "1"},
		}
	})
	play(2, "Footmen", func(k storage.GameKey) []storage.Record {
		drew := outcome(k, 1, 1, storage.OutcomeDrew)
		doubted := outcome(k, 1, 2, storage.OutcomeWon)
		doubted.Contradicts = true
		return []storage.Record{drew, doubted, kills(k, 1, 1, "5"), kills(k, 1, 2, "none")}
	})

	ann, err := db.PlayerStats(t.Context(), " ANN ")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "Ann", ann, []storage.PlayerStats{{
		Name: "Ann", Games: 3, Won: 1, Drawn: 1, PlayedMS: (60 * time.Minute).Milliseconds(),
		First: after(time.Minute), Last: after(2*time.Hour + time.Minute),
		Maps: []storage.PlayedMap{
			{Name: "DotA", SHA1: "0400000000000000000000000000000000000000", Games: 2, Won: 1},
			{Name: "Footmen", SHA1: "0700000000000000000000000000000000000000", Games: 1},
		},
		Values: []storage.MapValue{
			{Source: storage.SourceDotA, Name: "kills", Games: 2, Sum: 15, Mean: 7.5, Most: 10},
		},
	}})
	last, err := db.LastGameOf(t.Context(), " BOB ")
	if err != nil || last.Map != "Footmen" || last.PlayedMS != 20*60_000 || !last.Began.Equal(after(2*time.Hour+time.Minute)) ||
		!slices.Equal(last.Players, []storage.LastPlayer{
			{Name: "Ann", Outcome: storage.OutcomeDrew, PlayedMS: 20 * 60_000}, {Name: "bob", Outcome: "disputed", Actions: 100, PlayedMS: 10 * 60_000},
		}) {
		t.Errorf("the last game of bob: %+v, %v", last, err)
	}
	_, err = db.LastGameOf(t.Context(), "Visitor")
	wantError(t, "the last game of a visitor", err, storage.ErrNotFound, "")
	bob, err := db.PlayerStats(t.Context(), "Bob")
	if err != nil || len(bob) != 1 {
		t.Fatal(bob, err)
	}
	if b := bob[0]; b.Games != 3 || b.Won != 1 || b.Lost != 1 || b.Lags != 2 || b.Dropped != 1 || b.PingMS != 40 || b.Actions != 300 ||
		b.PlayedMS != (30*time.Minute).Milliseconds() || len(b.Values) != 1 || b.Values[0].Sum != 3 {
		t.Errorf("bob: %+v", b)
	}
	_, err = db.PlayerStats(t.Context(), "Visitor") // left every lobby before the start
	wantError(t, "a visitor", err, storage.ErrNotFound, "no games of Visitor")

	contradicted := 0
	for _, r := range game(t, db, disputed).Results {
		if r.Contradicted != (r.PID == 1) {
			t.Errorf("result %+v", r)
		}
		if r.Contradicted {
			contradicted++
		}
	}
	if contradicted != 4 {
		t.Errorf("%d values contradicted, want 4", contradicted)
	}

	maps := []string{
		"map_name = 'DotA' AND map_sha1 = '0400000000000000000000000000000000000000' AND lobbies = 2 AND games = 2 AND last_game = '2026-11-20T15:06:06.123Z'",
		"map_name = 'Footmen' AND map_sha1 = '0700000000000000000000000000000000000000' AND lobbies = 1 AND games = 1 AND last_game = '2026-11-20T16:06:06.123Z'",
	}
	for _, m := range maps {
		m += " AND finished = games AND desyncs = 0 AND played_ms = 1200000 AND players = 2"
		if n := raw(t, urlOf(db), "SELECT count(*) FROM map_stats WHERE "+m); n != 1 {
			t.Errorf("%d maps are as in %s", n, m)
		}
	}
	if n := raw(t, urlOf(db), "SELECT count(*) FROM map_stats"); n != len(maps) {
		t.Errorf("%d maps", n)
	}
}

func target(t *testing.T, text string) storage.BanTarget {
	t.Helper()
	target, err := storage.ParseBanTarget(text)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func ban(t *testing.T, db *storage.Store, text, realm string, expires time.Time) error {
	t.Helper()
	tg := target(t, text)
	_, err := db.AddBan(t.Context(), storage.Ban{Name: tg.Name, Network: tg.Network, Realm: realm, Reason: "rude", By: "Root", Expires: expires})
	return err
}

func testBans(t *testing.T, db *storage.Store) {
	ctx := t.Context()
	soon := time.Now().Add(time.Hour).Truncate(time.Millisecond).UTC()
	for _, b := range []struct {
		target, realm string
		expires       time.Time
	}{
		{"Bob", "", soon},
		{"Bob", "Europe", time.Time{}},
		{"192.0.2.7", "", time.Time{}},
		{"10.1.2.3/8", "", time.Time{}},
		{"2001:db8::/32", "", time.Time{}},
		{"Old", "", time.Now().Add(-time.Second)},
	} {
		if err := ban(t, db, b.target, b.realm, b.expires); err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, "twice", ban(t, db, "BOB", "", time.Time{}), storage.ErrConflict, "BOB is banned")
	wantError(t, "the same network", ban(t, db, "10.9.9.9/8", "", time.Time{}), storage.ErrConflict, "10.0.0.0/8")
	if err := ban(t, db, "old", "", time.Time{}); err != nil {
		t.Errorf("after the first one ran out: %v", err)
	}
	_, err := db.AddBan(ctx, storage.Ban{Reason: "nobody"})
	wantError(t, "nobody", err, storage.ErrRejected, "needs a name")

	list := func(all bool) (targets []string) {
		t.Helper()
		bans, err := db.Bans(ctx, all)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range bans {
			targets = append(targets, b.Target()+"|"+b.Realm)
			if b.By != "Root" || b.Reason != "rude" || time.Since(b.At).Abs() > time.Minute {
				t.Errorf("ban %+v", b)
			}
		}
		return targets
	}
	equal(t, "active", list(false), []string{"old|", "2001:db8::/32|", "10.0.0.0/8|", "192.0.2.7|", "Bob|europe", "Bob|"})
	if n := len(list(true)); n != 7 {
		t.Errorf("%d bans in all, want 7", n)
	}

	lifted, err := db.LiftBans(ctx, target(t, "bOb"), "EUROPE", "Root")
	if err != nil || len(lifted) != 1 || lifted[0].Realm != "europe" || lifted[0].Lifted.IsZero() {
		t.Errorf("lifted %+v, %v", lifted, err)
	}
	if lifted, err = db.LiftBans(ctx, target(t, "bob"), "", "Root"); err != nil || len(lifted) != 1 || !lifted[0].Expires.Equal(soon) {
		t.Errorf("lifted %+v, %v", lifted, err)
	}
	_, err = db.LiftBans(ctx, target(t, "bob"), "", "Root")
	wantError(t, "lifted twice", err, storage.ErrNotFound, "no ban of bob")
	if lifted, err = db.LiftBans(ctx, target(t, "10.0.0.0/8"), "", "Root"); err != nil || len(lifted) != 1 {
		t.Errorf("lifted %+v, %v", lifted, err)
	}
	equal(t, "the rest", list(false), []string{"old|", "2001:db8::/32|", "192.0.2.7|"})

	// An address of IPv6 stands for its network, but not where one asks for it alone.
	for text, want := range map[string]string{"2001:db9:0:5::1": "2001:db9:0:5::/64", "2001:db9:0:6::1/128": "2001:db9:0:6::1/128"} {
		if err := ban(t, db, text, "", time.Time{}); err != nil {
			t.Fatal(err)
		}
		if lifted, err := db.LiftBans(ctx, target(t, text), "", "Root"); err != nil || len(lifted) != 1 || lifted[0].Target() != want {
			t.Errorf("%s: lifted %+v, %v", text, lifted, err)
		}
	}
}

func testAdmins(t *testing.T, db *storage.Store) {
	ctx := t.Context()
	add := func(name, realm string, role storage.Role) error {
		return db.AddAdmin(ctx, storage.Admin{Name: name, Realm: realm, Role: role, By: "setup", At: day})
	}
	for _, err := range []error{add("Ann", "", "admin"), add("Ann", "Europe", "root"), add("Bob", "", "admin"), add("BOB", "", "root")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, "again", add("ann", "", "admin"), storage.ErrConflict, "ann is admin on the LAN")
	wantError(t, "no such role", add("ann", "", "king"), storage.ErrRejected, "one of the roles trusted, admin, root")
	wantError(t, "no name", add(" ", "", "root"), storage.ErrRejected, "needs a name")
	got, err := db.Admins(ctx)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "admins", got, []storage.Admin{
		{Name: "Ann", Role: "admin", By: "setup", At: day},
		{Name: "BOB", Role: "root", By: "setup", At: day},
		{Name: "Ann", Realm: "europe", Role: "root", By: "setup", At: day},
	})
	if err := db.RemoveAdmin(ctx, storage.Admin{Name: "ANN", Realm: "EUROPE"}); err != nil {
		t.Error(err)
	}
	wantError(t, "removed twice", db.RemoveAdmin(ctx, storage.Admin{Name: "ann", Realm: "europe"}), storage.ErrNotFound, "no admin ann on europe")
	trusted := storage.Admin{Name: "Cid", Role: storage.RoleTrusted, By: "Ann", At: day}
	if err := db.AddAdmin(ctx, trusted); err != nil {
		t.Error(err)
	}
	if got, err := db.Admins(ctx); err != nil || len(got) != 3 || got[2] != trusted {
		t.Errorf("%+v, %v", got, err)
	}
	trusted.Name = "Bob"
	wantError(t, "root as trusted", db.AddAdmin(ctx, trusted), storage.ErrConflict, "Bob is root on the LAN")
	wantError(t, "root is not trusted only", db.RemoveAdmin(ctx, storage.Admin{Name: "bob", Role: storage.RoleTrusted}), storage.ErrNotFound, "no admin bob on the LAN")
	if err := db.RemoveAdmin(ctx, storage.Admin{Name: "CID", Role: storage.RoleTrusted}); err != nil {
		t.Error(err)
	}
	if got, err := db.Admins(ctx); err != nil || len(got) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func testAudit(t *testing.T, db *storage.Store) {
	k := storage.NewGameKey()
	kick := storage.AdminAction{
		Game: k, At: day, Who: "Ann", Realm: "europe", Via: "lobby", Action: "kick", On: "Bob", Detail: "rude", Refused: "not allowed",
	}
	apply(t, db, kick)
	mute := storage.AdminAction{At: after(time.Second), Who: "root", Via: "cli", Action: "ban", On: "Bob"}
	for range 2 { // two commands in one instant are two lines
		if err := db.Audit(t.Context(), mute); err != nil {
			t.Fatal(err)
		}
	}
	for before, want := range map[time.Time]int{{}: 3, after(time.Second): 1, day: 0} {
		got, _, err := db.AuditLog(t.Context(), before, 3)
		if err != nil || len(got) != want || want > 0 && got[want-1] != kick {
			t.Errorf("before %v: %+v, %v", before, got, err)
		}
	}
	var seen []string // page by page, as long as there are more
	for before := (time.Time{}); ; {
		lines, older, err := db.AuditLog(t.Context(), before, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			seen = append(seen, l.Action)
		}
		if before = older; older.IsZero() {
			break
		}
	}
	equal(t, "page by page", seen, []string{"ban", "ban", "kick"})
	for line, want := range map[string]int{
		"game_key = '" + k.String() + "' AND at = '2026-11-20T14:05:06.123Z' AND who = 'Ann' AND realm = 'europe' AND via = 'lobby'" +
			" AND action = 'kick' AND target = 'Bob' AND detail = 'rude' AND refused = 'not allowed'": 1,
		"game_key IS NULL AND at = '2026-11-20T14:05:07.123Z' AND who = 'root' AND realm = '' AND via = 'cli'" +
			" AND action = 'ban' AND target = 'Bob' AND detail = '' AND refused = ''": 2,
		"1 = 1": 3,
	} {
		if n := raw(t, urlOf(db), "SELECT count(*) FROM audit WHERE "+line); n != want {
			t.Errorf("%d lines, not %d, are %s", n, want, line)
		}
	}
}

// testGuard changes bans and admins through a second opening of the database,
// as another host or the command line does.
func testGuard(t *testing.T, db *storage.Store) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	g := storage.NewAccessCache(db, storage.AccessCacheOptions{})
	defer g.Close()
	select {
	case <-g.Loaded():
	case <-ctx.Done():
		t.Fatal("the guard does not load")
	}
	other := sibling(t, db)
	addr := netip.MustParseAddr("::ffff:10.1.2.3")
	until := func(what string, ok func() bool) {
		t.Helper()
		for !ok() {
			select {
			case <-ctx.Done():
				t.Fatal(what)
			case <-time.After(time.Millisecond):
			}
		}
	}
	banned := func(name string) bool { _, yes := g.IsBanned(name, addr, "Europe", false); return yes }
	if banned("Ann") || roleOf(g, "Ann", "") != "" {
		t.Error("banned or admin from the start")
	}
	for _, tt := range []string{"ann", "10.1.2.3", "10.0.0.0/8"} {
		if err := ban(t, other, tt, "", time.Time{}); err != nil {
			t.Fatal(err)
		}
		until("the ban of "+tt+" is not told", func() bool { return banned("Ann") })
		if _, err := other.LiftBans(ctx, target(t, tt), "", ""); err != nil {
			t.Fatal(err)
		}
		until("the unban of "+tt+" is not told", func() bool { return !banned("Ann") })
	}
	if _, err := db.AddBan(ctx, storage.Ban{Network: netip.MustParsePrefix("10.1.2.3/32"), By: storage.ByHost}); err != nil {
		t.Fatal(err)
	}
	until("the ban by the host is not told", func() bool { return banned("Ann") })
	if b, yes := g.IsBanned("Ann", addr, "Europe", true); yes {
		t.Errorf("somebody who plays is banned by %+v", b)
	}
	if _, err := other.LiftBans(ctx, target(t, "10.1.2.3"), "", ""); err != nil {
		t.Fatal(err)
	}
	until("the end of the ban by the host is not told", func() bool { return !banned("Ann") })
	if err := ban(t, db, "Ann", "asia", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := ban(t, db, "Bob", "europe", time.Now().Add(600*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	until("the ban of Bob is not told", func() bool { return banned("bob") })
	if banned("Ann") {
		t.Error("banned on another realm")
	}
	until("the ban of Bob does not run out", func() bool { return !banned("bob") })
	if err := other.AddAdmin(ctx, storage.Admin{Name: "Ann", Realm: "europe", Role: storage.RoleRoot}); err != nil {
		t.Fatal(err)
	}
	until("the admin is not told", func() bool { return roleOf(g, "ANN", "Europe") == storage.RoleRoot })
	if roleOf(g, "Ann", "") != "" || roleOf(g, "Ann", "asia") != "" {
		t.Error("admin on another realm")
	}
}

// testNamesakes: names are found by the addresses that they share with another.
func testNamesakes(t *testing.T, db *storage.Store) {
	home, work := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	join := func(name string, addrs ...netip.Addr) (records []storage.Record) {
		for _, addr := range addrs {
			k := storage.NewGameKey()
			records = append(records, storage.GameCreated{Game: k}, storage.PlayerJoined{Game: k, PID: 1, Name: name, Addr: addr})
		}
		return records
	}
	apply(t, db, slices.Concat(join("Ann", home, work), join("zoe", work), join("Bob", home, home), join("Cid", netip.MustParseAddr("192.0.2.3")), join("Nowhere", netip.Addr{}))...)
	for name, want := range map[string][]string{"ANN": {"Bob", "zoe"}, "Zoe": {"Ann"}, "Cid": {}, "Nowhere": {}, "nobody": {}} {
		got, err := db.Namesakes(t.Context(), name, 5)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, name, got, want)
	}
}

// roleOf is the role by which a name is an admin from anywhere.
func roleOf(g *storage.AccessCache, name, realm string) storage.Role {
	for _, a := range g.AdminsAs(name, realm, netip.Addr{}) {
		return a.Role
	}
	return ""
}
