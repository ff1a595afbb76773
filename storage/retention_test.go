//go:build unix

package storage_test

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/storage"
	"w3host/storage/storagetest"
)

// aGame is a game of Ann and Bob that was opened then.
func aGame(at time.Time) (storage.GameKey, []storage.Record) {
	k, addr := storage.NewGameKeyAt(at), netip.MustParseAddr("192.0.2.7")
	return k, []storage.Record{
		storage.GameCreated{Game: k, At: at, Name: "Ann's game", Owner: "Ann"},
		storage.PlayerJoined{Game: k, At: at, PID: 1, Name: "Ann", Addr: addr},
		storage.PlayerJoined{Game: k, At: at, PID: 2, Name: "Bob", Addr: addr},
		storage.MapDownload{Game: k, At: at, PID: 1, Name: "Ann"},
		storage.GameStarted{Game: k, At: at, Slots: []storage.StartedSlot{
			{PID: 1, Name: "Ann", Addr: addr, Occupant: storage.OccupantPlayer}, {Slot: 1, PID: 2, Name: "Bob", Addr: addr, Occupant: storage.OccupantPlayer},
		}},
		storage.GameLoaded{Game: k, At: at},
		storage.ChatLine{Game: k, At: at, PID: 2, Name: "Bob", To: "Ann", Scope: storage.ChatPrivate, Text: "hi ANN, Annette says: ann!"},
		storage.ChatLine{Game: k, At: at, PID: 1, Name: "Ann", Text: "I am here"},
		storage.DropEvent{Game: k, At: at, PID: 2, Reason: "vote", By: "Ann"},
		storage.Desync{Game: k, At: at, Dossier: []byte(`{"players":["Ann","Bob"],"hash":12345678901234567890}`)},
		storage.AdminAction{Game: k, At: at, Who: "ann", Action: "kick", On: "Bob", Detail: "said Ann"},
		storage.PlayerResult{Game: k, PID: 1, Source: storage.SourceDotA, Name: "kills", Value: "7"},
		storage.PlayerResult{Game: k, PID: 1, Name: storage.ResultOutcome, Value: "won"},
		storage.MapReports{Game: k, Turn: 1, Sender: 1, Reports: []storage.MapReport{{File: "MMD.Dat", Mission: "val:1", Key: "init pid 0 Ann"}}},
		storage.MapResult{Game: k, Source: storage.SourceW3MMD, Name: "Ann: kills", Value: "7"}, // of a player whom the map names otherwise
		storage.PlayerLeft{Game: k, At: at.Add(time.Hour), PID: 2, Reason: "kicked by Ann"},
		storage.GameEnded{Game: k, At: at.Add(time.Hour), How: storage.EndFinished, Detail: "Ann won"},
	}
}

// write applies records as the first run of a new host.
func write(t *testing.T, db *storage.Store, records ...storage.Record) {
	t.Helper()
	applyAs(t, db, storage.NewGameKey().String(), storage.NewGameKey().String(), 1, records...)
}

func TestPrune(t *testing.T) {
	t.Parallel()
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			db := storagetest.Open(t, database(t))
			const day = 24 * time.Hour
			now := time.Now()
			var keys []storage.GameKey
			for _, age := range []time.Duration{100 * day, 50 * day, 20 * day, time.Hour} {
				k, records := aGame(now.Add(-age))
				keys = append(keys, k)
				write(t, db, records...)
			}
			open := storage.NewGameKeyAt(now.Add(-200 * day)) // still going on
			write(t, db, storage.GameCreated{Game: open, At: now})
			for _, age := range []time.Duration{100 * day, 91 * day, 50 * day} { // of no game
				write(t, db, storage.AdminAction{At: now.Add(-age), Who: "Ann", Via: "console", Action: "reload"})
			}
			keep := storage.RetentionPolicy{Games: 90 * day, Addresses: 30 * day, Chat: 10 * day, Audit: 90 * day}
			dry, err := db.Prune(t.Context(), keep, true)
			if err != nil || dry != (storage.Pruned{Games: 1, Addresses: 4, Chat: 6, Audit: 3}) {
				t.Errorf("dry: %+v, %v", dry, err)
			}
			if _, err := db.Game(t.Context(), keys[0]); err != nil {
				t.Errorf("a dry run removes: %v", err)
			}
			done, err := db.Prune(t.Context(), keep, false)
			if err != nil || done != (storage.Pruned{Games: 1, Addresses: 2, Chat: 4, Audit: 3}) {
				t.Errorf("pruned: %+v, %v", done, err)
			}
			var got []string
			for _, k := range append(keys, open) {
				g, err := db.Game(t.Context(), k)
				if errors.Is(err, storage.ErrNotFound) {
					got = append(got, "gone")
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				addresses := 0
				for _, p := range g.People {
					if p.Address != "" {
						addresses++
					}
				}
				got = append(got, fmt.Sprint(len(g.Chat), addresses))
			}
			if want := "gone, 0 0, 0 2, 2 2, 0 0"; strings.Join(got, ", ") != want {
				t.Errorf("chat and addresses by game: %v, want %s", got, want)
			}
			if s, err := db.PlayerStats(t.Context(), "ann"); err != nil || s[0].Games != 4 || s[0].Won != 4 {
				t.Errorf("totals go with the games: %+v, %v", s, err)
			}
			if again, err := db.Prune(t.Context(), keep, false); err != nil || again != (storage.Pruned{}) {
				t.Errorf("again: %+v, %v", again, err)
			}
			if none, err := db.Prune(t.Context(), storage.RetentionPolicy{}, false); err != nil || none != (storage.Pruned{}) {
				t.Errorf("kept for ever: %+v, %v", none, err)
			}
		})
	}
}

// After Forget no column of any table holds the name or the address.
func TestForget(t *testing.T) {
	t.Parallel()
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			db := storagetest.Open(t, url)
			for n := range 60 { // more than a batch
				_, records := aGame(time.Now().Add(-time.Duration(n) * time.Hour))
				write(t, db, records...)
			}
			if err := db.Audit(t.Context(), storage.AdminAction{Who: "root", Action: "ban", On: "Ann", Detail: "rude"}); err != nil {
				t.Fatal(err)
			}
			if _, err := db.AddBan(t.Context(), storage.Ban{Name: "Ann", By: "Bob", Reason: "Ann was rude"}); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Forget(t.Context(), "ann"); !errors.Is(err, storage.ErrConflict) {
				t.Errorf("while banned: %v", err)
			}
			if _, err := db.LiftBans(t.Context(), storage.BanTarget{Name: "Ann"}, "", "Ann"); err != nil {
				t.Fatal(err)
			}
			if err := db.SetLanguage(t.Context(), "Ann", "zh"); err != nil {
				t.Fatal(err)
			}
			f, err := db.Forget(t.Context(), " aNN ")
			if err != nil || f.Games != 60 || !strings.HasPrefix(f.Token, "forgotten-") {
				t.Fatalf("%+v, %v", f, err)
			}
			raw := rawDB(t, url)
			for _, c := range textColumns(t, url) {
				for _, line := range answers(t, raw, "SELECT "+c[1]+" FROM "+c[0]) {
					low := strings.ReplaceAll(strings.ToLower(line), "annette", "")
					if strings.Contains(low, "ann") {
						t.Fatalf("%s.%s still says %s", c[0], c[1], line)
					}
				}
			}
			s, err := db.PlayerStats(t.Context(), f.Token)
			if err != nil || s[0].Games != 60 || s[0].Won != 60 || len(s[0].Values) != 1 {
				t.Errorf("statistics of the token: %+v, %v", s, err)
			}
			g, err := db.Game(t.Context(), storage.GameKey{})
			if err != nil || g.People[0].Address != "" || g.People[1].Address != "192.0.2.7" || g.Chat[0].Text != "hi "+f.Token+", Annette says: "+f.Token+"!" ||
				!strings.Contains(string(g.Dossiers[0].Detail), "12345678901234567890") || g.Results[1].Value != "won" {
				t.Errorf("the game: %+v, %v", g, err)
			}
			if _, err := db.Forget(t.Context(), "Ann"); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("twice: %v", err)
			}
			if s, err := db.PlayerStats(t.Context(), "Bob"); err != nil || s[0].Games != 60 {
				t.Errorf("somebody else: %+v, %v", s, err)
			}
		})
	}
}

// textColumns lists the columns of all tables that hold text or JSON.
func textColumns(t *testing.T, url string) (columns [][2]string) {
	t.Helper()
	query := `SELECT c.table_name, c.column_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.data_type IN ('text', 'jsonb')`
	if strings.HasPrefix(url, "sqlite:") {
		query = "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND lower(c.type) = 'text'"
	}
	for _, line := range answers(t, rawDB(t, url), query) {
		cells := strings.Split(line, "|")
		columns = append(columns, [2]string{cells[1], cells[2]})
	}
	if len(columns) < 40 {
		t.Fatalf("only %d columns", len(columns))
	}
	return columns
}

// Whoever only reads makes and changes nothing, and says what to do.
func TestReadersLeaveTheSchema(t *testing.T) {
	t.Parallel()
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			path, isFile := strings.CutPrefix(url, "sqlite:")
			open := func(opts storage.Options) error {
				db, err := storage.Open(t.Context(), url, opts)
				if err == nil {
					err = errors.Join(db.Ping(t.Context()), db.Close())
				}
				return err
			}
			if isFile {
				if err := open(storage.Options{MustExist: true}); !errors.Is(err, storage.ErrNoDatabase) || !strings.Contains(err.Error(), "there is no file") {
					t.Errorf("no file: %v", err)
				}
				if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the folder is made: %v", err)
				}
				if err := open(storage.Options{LeaveSchema: true}); err != nil {
					t.Fatal(err)
				}
			}
			tables := func() int {
				query := "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
				if isFile {
					query = "SELECT count(*) FROM sqlite_schema"
				}
				return raw(t, url, query)
			}
			if err := open(storage.Options{MustExist: true}); !errors.Is(err, storage.ErrNoDatabase) || !strings.Contains(err.Error(), "step 0 of ") {
				t.Errorf("empty: %v", err)
			}
			db, err := storage.Open(t.Context(), url, storage.Options{LeaveSchema: true, MustExist: true})
			if err != nil {
				t.Fatal(err)
			}
			if steps, err := db.Migrations(t.Context()); err != nil || steps[0].Applied {
				t.Errorf("status: %+v, %v", steps, err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if n := tables(); n != 0 {
				t.Errorf("readers made %d tables", n)
			}
			if err := open(storage.Options{}); err != nil {
				t.Fatal(err)
			}
			if err := open(storage.Options{MustExist: true}); err != nil {
				t.Errorf("whole: %v", err)
			}
			older, err := storage.Open(t.Context(), url, storage.Options{LeaveSchema: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := older.MigrateDown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(older.Close(), open(storage.Options{MustExist: true})); !errors.Is(err, storage.ErrNoDatabase) || !strings.Contains(err.Error(), "migrate up, completes it") {
				t.Errorf("older: %v", err)
			}
		})
	}
}

// Another program's table is a mistake in database.url, not an outage.
func TestForeignTable(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
				if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
					t.Fatal(err)
				}
			}
			raw(t, url, "CREATE TABLE games (id integer)")
			for _, opts := range []storage.Options{{}, {StartWithoutDatabase: true}, {MustExist: true}} {
				_, err := storage.Open(t.Context(), url, opts)
				if !errors.Is(err, storage.ErrBadURL) || !strings.Contains(fmt.Sprint(err), `a table "games" that is not w3host's`) {
					t.Errorf("%+v: %v", opts, err)
				}
			}
			if n := raw(t, url, "SELECT count(*) FROM games"); n != 0 {
				t.Error("the table is touched")
			}
		})
	}
}

// The file is for this user only, and its folder for the group at most.
func TestFileModes(t *testing.T) {
	url := storagetest.SQLite(t)
	db := storagetest.Open(t, url)
	_, records := aGame(time.Now())
	write(t, db, records...)
	path := strings.TrimPrefix(url, "sqlite:")
	for file, want := range map[string]os.FileMode{
		path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + ".migrating": 0o600, filepath.Dir(path): 0o750,
	} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has %v, want %v (%v)", file, info.Mode().Perm(), want, err)
		}
	}
}

// Rules refuse what no host writes, and addresses and bans are found by network.
func TestPostgresSchema(t *testing.T) {
	url := storagetest.Postgres(t)
	db := storagetest.Open(t, url)
	for _, bad := range []string{
		"INSERT INTO games (key, host_id, run, turns) VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), -1)",
		"INSERT INTO games (key, host_id, run, map_sha1) VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'XYZ')",
		"INSERT INTO bans (banned_at) VALUES (now())",
		"INSERT INTO bans (network, banned_at) VALUES ('10.0.0.300', now())",
		"INSERT INTO admins (name_key, realm, name, role, added_at) VALUES ('a', '', 'a', 'king', now())",
	} {
		if _, err := rawDB(t, url).ExecContext(t.Context(), bad); err == nil {
			t.Errorf("taken: %s", bad)
		}
	}
	_, records := aGame(time.Now())
	write(t, db, records...)
	if _, err := db.AddBan(t.Context(), storage.Ban{Network: netip.MustParsePrefix("192.0.0.0/16")}); err != nil {
		t.Fatal(err)
	}
	raw := rawDB(t, url)
	if _, err := raw.ExecContext(t.Context(), "SET enable_seqscan = off"); err != nil {
		t.Fatal(err)
	}
	for query, index := range map[string]string{
		"SELECT name FROM played WHERE address <<= '192.0.2.0/24'":                        "game_players_ip",
		"SELECT id FROM bans WHERE range >>= '192.0.2.7' AND lifted_at IS NULL":           "bans_range",
		"SELECT name FROM player_stats ORDER BY won DESC, lost LIMIT 20":                  "player_totals_won",
		"SELECT key FROM game_list WHERE started_at > now() - interval '7 days'":          "games_started_at",
		"SELECT game_key FROM game_players WHERE name_key = 'ann' ORDER BY game_key DESC": "game_players_games",
		"SELECT key FROM games WHERE map_sha1 = 'x' ORDER BY key DESC LIMIT 20":           "games_map_key",
	} {
		if plan := strings.Join(answers(t, raw, "EXPLAIN "+query), "\n"); !strings.Contains(plan, index) {
			t.Errorf("%s\ndoes not use %s:\n%s", query, index, plan)
		}
		if strings.Contains(query, "/24") || strings.Contains(query, ">>=") {
			if len(answers(t, raw, query)) == 0 {
				t.Errorf("%s finds nothing", query)
			}
		}
	}
}
