//go:build unix

package storage_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"w3host/migrations"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// totalsViews are the queries whose answers the totals have to give. They are
// written for the views of step 3, which sum up all rows, and mean the same for
// those of today.
var totalsViews = []string{
	`SELECT name_key, realm, games, won, lost, drawn, left_early, dropped, lags, played_ms, actions,
		round(coalesce(CAST(ping_ms AS numeric), -1), 3) FROM player_stats`,
	`SELECT map_sha1, map_name, lobbies, games, finished, desyncs, round(coalesce(CAST(played_ms AS numeric), -1), 3),
		round(coalesce(CAST(players AS numeric), -1), 3) FROM map_stats`,
	`SELECT substr(CAST(day AS text), 1, 10), lobbies, games, desyncs, crashed FROM daily_games`,
}

// valuesOf sums the reported values up from the rows; valueTotals reads them.
const (
	valuesOf = `SELECT name_key, realm, source, name, count(*), sum(number), max(number) FROM (
		SELECT p.name_key, p.realm, r.game_key, r.source, r.name, max(r.number) AS number
		FROM game_players p JOIN results r ON r.game_key = p.game_key AND r.pid = p.pid
		WHERE p.slot IS NOT NULL AND NOT p.fake GROUP BY p.name_key, p.realm, r.game_key, r.source, r.name
		HAVING min(r.value) = max(r.value) AND max(r.number) IS NOT NULL AND sum(CASE WHEN r.contradicts THEN 1 ELSE 0 END) = 0) t
		GROUP BY name_key, realm, source, name`
	valueTotals = `SELECT name_key, realm, source, name, games, sum, most FROM player_value_totals`
	mapsOf      = `SELECT name_key, realm, map_sha1, count(*), count(CASE WHEN outcome = 'won' THEN 1 END),
		count(CASE WHEN outcome = 'lost' THEN 1 END) FROM played GROUP BY name_key, realm, map_sha1`
	mapTotals = `SELECT name_key, realm, map_sha1, games, won, lost FROM player_map_totals`
)

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

// answers reads queries as sorted lines of text.
func answers(t *testing.T, db *sql.DB, queries ...string) (lines []string) {
	t.Helper()
	for i, q := range queries {
		rows, err := db.QueryContext(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := rows.Columns()
		for rows.Next() {
			cells, dest := make([]sql.NullString, len(columns)), make([]any, len(columns))
			for j := range cells {
				dest[j] = &cells[j]
			}
			if err := rows.Scan(dest...); err != nil {
				t.Fatal(err)
			}
			line := fmt.Sprint(i)
			for _, c := range cells {
				text := c.String
				if strings.Contains(text, ".") && !strings.ContainsAny(text, " TZ") {
					text = strings.TrimRight(strings.TrimRight(text, "0"), ".") // 2.500 is 2.5
				}
				line += "|" + text
			}
			lines = append(lines, line)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(lines)
	return lines
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	t.Errorf("%s: %d lines, want %d", what, len(got), len(want))
	shown := 0
	for _, l := range want {
		if !slices.Contains(got, l) && shown < 5 {
			t.Errorf("%s: missing %s", what, l)
			shown++
		}
	}
	for _, l := range got {
		if !slices.Contains(want, l) && shown < 10 {
			t.Errorf("%s: surplus %s", what, l)
			shown++
		}
	}
}

// step3 makes the database of the previous version.
func step3(t *testing.T, url string, db *sql.DB) {
	t.Helper()
	kind, dialect := "postgres", goose.DialectPostgres
	if strings.HasPrefix(url, "sqlite:") {
		storagetest.Open(t, url) // makes the folder and the file
		kind, dialect = "sqlite", goose.DialectSQLite3
	}
	steps, err := migrations.For(kind)
	if err != nil {
		t.Fatal(err)
	}
	move(t, dialect, db, steps, 3)
}

func move(t *testing.T, dialect goose.Dialect, db *sql.DB, steps fs.FS, to int64) {
	t.Helper()
	db.SetMaxOpenConns(0) // a step without a transaction wants a connection beside
	defer db.SetMaxOpenConns(1)
	p, err := goose.NewProvider(dialect, db, steps, goose.WithTableName("w3host_schema"), goose.WithDisableGlobalRegistry(true))
	if err == nil {
		_, err = p.UpTo(t.Context(), to)
	}
	if err == nil {
		_, err = p.DownTo(t.Context(), to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// fill writes games as the previous version did: lobbies that never started,
// visitors, fakes, outcomes that contradict each other, lags and drops.
func fill(t *testing.T, db *sql.DB, games int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	exec := func(q string, args ...any) {
		t.Helper()
		if _, err := tx.ExecContext(t.Context(), q, args...); err != nil {
			t.Fatal(err)
		}
	}
	text := func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
	host, run := storage.NewGameKey().String(), storage.NewGameKey().String()
	for g := range games {
		at := time.Date(2026, 3, 1+g/20, g%24, g%60, 0, 0, time.UTC)
		k, sha := storage.NewGameKeyAt(at).String(), fmt.Sprintf("%040x", g%7)
		started, ended := g%5 != 0, []string{"finished", "desync", "host crashed", "stopped"}[rng.IntN(4)]
		if !started {
			exec(`INSERT INTO games (key, host_id, run, name, map_name, map_sha1, created_at, ended_at, ended) VALUES ($1, $2, $3, 'g', $4, $5, $6, $7, 'closed')`,
				k, host, run, "Map "+sha[38:], sha, text(at), text(at.Add(time.Minute)))
		} else {
			exec(`INSERT INTO games (key, host_id, run, name, map_name, map_sha1, created_at, started_at, loaded_at, ended_at, ended, played_ms)
				VALUES ($1, $2, $3, 'g', $4, $5, $6, $7, $8, $9, $10, $11)`, k, host, run, "Map "+sha[38:], sha,
				text(at), text(at.Add(time.Minute)), text(at.Add(2*time.Minute)), text(at.Add(30*time.Minute)), ended, 1000*rng.IntN(3000))
		}
		for pid := 1; pid <= 2+rng.IntN(5); pid++ {
			name := fmt.Sprint("Player", rng.IntN(12))
			var slot, ping, left, address any
			if started && pid > 1 {
				slot = pid - 1
			}
			if rng.IntN(3) > 0 {
				ping, left = rng.IntN(200), text(at.Add(time.Duration(rng.IntN(40))*time.Minute))
			}
			if rng.IntN(4) > 0 {
				address = fmt.Sprintf("10.%d.%d.%d", g%3, g%200, pid)
			}
			exec(`INSERT INTO game_players (game_key, pid, joined_seq, name, name_key, realm, address, fake, slot, joined_at, left_at, ping_ms, actions)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`, k, pid, pid, name, strings.ToLower(name),
				[]string{"", "europe"}[rng.IntN(2)], address, pid == 6, slot, text(at), left, ping, rng.IntN(1000))
			for n := range rng.IntN(3) {
				exec(`INSERT INTO lags (game_key, seq, turn, pid, lasted_ms, behind, ping_ms, host_late_ms, backlog, cause) VALUES ($1, $2, 1, $3, 1, 1, 1, 1, 1, 'connection')`,
					k, 100*pid+n, pid)
			}
			if rng.IntN(8) == 0 {
				exec(`INSERT INTO drops (game_key, seq, turn, pid, reason, decided_by, votes) VALUES ($1, $2, 1, $3, 'vote', '', 1)`, k, 1000+pid, pid)
			}
			for sender := range rng.IntN(3) {
				exec(`INSERT INTO results (game_key, seq, turn, source, sender, pid, name, value, contradicts) VALUES ($1, $2, 1, 'w3mmd', $3, $4, 'outcome', $5, $6)`,
					k, 10_000+10*pid+sender, sender, pid, []string{"won", "lost", "drew", "left"}[rng.IntN(4)], rng.IntN(9) == 0)
				kills := rng.IntN(2)
				exec(`INSERT INTO results (game_key, seq, turn, source, sender, pid, name, value, number, contradicts) VALUES ($1, $2, 1, 'dota', $3, $4, 'kills', $5, $6, $7)`,
					k, 20_000+10*pid+sender, sender, pid, fmt.Sprint(kills), kills, false)
			}
		}
	}
	exec(`INSERT INTO bans (name, name_key, network, banned_at) VALUES ('', '', '10.1.0.0/16', '2026-01-01T00:00:00Z')`)
	exec(`INSERT INTO bans (name, name_key, network, banned_at) VALUES ('', '', '10.0.0.300', '2026-01-01T00:00:00Z')`) // mistyped
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// A database of the previous version, filled, gives the same figures after the
// migration as its own views gave before, and every address is where it belongs.
func TestMigrateFilled(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			raw := rawDB(t, url)
			step3(t, url, raw)
			fill(t, raw, 300)
			want := answers(t, raw, append(slices.Clone(totalsViews), valuesOf, mapsOf)...)
			address := "address"
			if name == "Postgres" {
				address = "host(address::inet)"
			}
			addresses := answers(t, raw, "SELECT game_key, pid, "+address+" FROM game_players WHERE address IS NOT NULL")

			db := storagetest.Open(t, url)
			for range 2 { // the second time it finds nothing to do
				if _, err := db.CarryOver(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
			}
			raw = rawDB(t, url) // without plans of before
			same(t, "figures", answers(t, raw, append(slices.Clone(totalsViews), valueTotals, mapTotals)...), want)
			ip := map[string]string{"SQLite": "ip", "Postgres": "host(ip)"}[name]
			same(t, "addresses", answers(t, raw, "SELECT game_key, pid, "+ip+" FROM game_players WHERE ip IS NOT NULL"), addresses)
			bans, err := db.Bans(t.Context(), false)
			if err != nil || len(bans) == 0 || bans[len(bans)-1].Network.String() != "10.1.0.0/16" {
				t.Errorf("bans %+v, %v", bans, err)
			}
		})
	}
}

// The totals are what the rows add up to, whatever is written in whatever order
// and however often: late records, replays, games closed for a dead host that
// comes back.
func TestTotalsAddUp(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			db := storagetest.Open(t, url)
			rng := rand.New(rand.NewPCG(3, 4))
			host := storage.NewGameKey().String()
			for range 8 {
				records := randomGames(rng, 6)
				run := storage.NewGameKey().String()
				var all []storage.Entry
				for i, r := range records {
					all = append(all, storage.Entry{Seq: uint64(i + 1), Record: r})
				}
				for rest := all; len(rest) > 0; {
					n := min(1+rng.IntN(40), len(rest))
					applyEntries(t, db, host, run, rest[:n])
					if rng.IntN(4) == 0 {
						applyEntries(t, db, host, run, rest[:n]) // its answer was lost
					}
					if rng.IntN(6) == 0 { // the host is thought dead
						if _, err := db.EnterHost(t.Context(), storage.Host{ID: host, Run: storage.NewGameKey().String(), Name: "h"}); err != nil {
							t.Fatal(err)
						}
						applyEntries(t, db, host, run, all[:len(all)-len(rest)+n]) // position forgotten: from the beginning
					}
					rest = rest[n:]
				}
			}
			compareTotals(t, db, url)
		})
	}
}

// Old rows are carried over while a host writes about the same players, and a
// second host carries over as well.
func TestCarryOverBesideHosts(t *testing.T) {
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			old := rawDB(t, url)
			step3(t, url, old)
			fill(t, old, 500)
			db, other := storagetest.Open(t, url), storagetest.Open(t, url)
			var hosts sync.WaitGroup
			for _, host := range []*storage.Store{db, other} {
				hosts.Go(func() {
					for { // as a host does: an hour later
						_, err := host.CarryOver(t.Context(), nil)
						if err == nil {
							return
						}
						if !errors.Is(err, storage.ErrUnavailable) {
							t.Error(err)
							return
						}
					}
				})
			}
			rng := rand.New(rand.NewPCG(5, 6))
			id, run := storage.NewGameKey().String(), storage.NewGameKey().String()
			for i, r := range randomGames(rng, 12) {
				b := storage.Batch{HostID: id, Run: run, Entries: []storage.Entry{{Seq: uint64(i + 1), Record: r}}}
				for err := db.Apply(t.Context(), b); err != nil; err = db.Apply(t.Context(), b) {
					if !errors.Is(err, storage.ErrUnavailable) {
						t.Fatal(err)
					}
				}
			}
			hosts.Wait()
			compareTotals(t, db, url)
		})
	}
}

// compareTotals compares the totals with what counting anew gives.
func compareTotals(t *testing.T, db *storage.Store, url string) {
	t.Helper()
	raw := rawDB(t, url)
	totals := append(slices.Clone(totalsViews), mapTotals+" WHERE games <> 0", "SELECT name_key, realm, source, name, games, sum FROM player_value_totals WHERE games <> 0")
	got := answers(t, raw, totals...)
	for _, statement := range []string{
		"DELETE FROM player_totals", "DELETE FROM player_map_totals", "DELETE FROM player_value_totals",
		"DELETE FROM map_totals", "DELETE FROM day_totals", "UPDATE games SET counted = false",
	} {
		if _, err := raw.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.CarryOver(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	same(t, "totals", got, answers(t, raw, totals...))
	if len(got) < 20 {
		t.Errorf("only %d lines were compared", len(got))
	}
}

func applyEntries(t *testing.T, db *storage.Store, host, run string, entries []storage.Entry) {
	t.Helper()
	if err := db.Apply(t.Context(), storage.Batch{HostID: host, Run: run, Entries: entries}); err != nil {
		t.Fatal(err)
	}
}

// randomGames interleaves the records of games; some come after the end.
func randomGames(rng *rand.Rand, games int) (mixed []storage.Record) {
	var rows [][]storage.Record
	for range games {
		k, at := storage.NewGameKey(), time.Date(2026, 5, 1+rng.IntN(3), 12, 0, 0, 0, time.UTC)
		m := byte(rng.IntN(3))
		r := []storage.Record{storage.GameCreated{Game: k, At: at, Map: storage.MapID{Name: fmt.Sprint("M", m), SHA1: [20]byte{m + 1}}}}
		var slots []storage.StartedSlot
		for pid := uint8(1); pid <= 3; pid++ {
			who := fmt.Sprint("Player", rng.IntN(5))
			r = append(r, storage.PlayerJoined{Game: k, At: at, PID: pid, Name: who})
			slots = append(slots, storage.StartedSlot{Slot: pid, PID: pid, Name: who, Occupant: storage.OccupantPlayer})
		}
		if rng.IntN(4) > 0 {
			r = append(r, storage.GameStarted{Game: k, At: at.Add(time.Minute), Slots: slots}, storage.GameLoaded{Game: k, At: at.Add(2 * time.Minute)})
		}
		var late []storage.Record
		for pid := uint8(1); pid <= 3; pid++ {
			for _, one := range []storage.Record{
				storage.LagEvent{Game: k, PID: pid},
				storage.DropEvent{Game: k, PID: pid},
				storage.PlayerResult{Game: k, PID: pid, Name: storage.ResultOutcome, Value: []string{"won", "lost"}[rng.IntN(2)]},
				storage.PlayerResult{Game: k, PID: pid, Sender: 1, Name: storage.ResultOutcome, Value: []string{"won", "lost"}[rng.IntN(2)]},
				storage.PlayerResult{Game: k, PID: pid, Name: "kills", Value: fmt.Sprint(rng.IntN(3))},
				storage.PlayerLeft{Game: k, At: at.Add(time.Duration(3+rng.IntN(30)) * time.Minute), PID: pid, Ping: 40 * time.Millisecond, Actions: uint32(rng.IntN(99))},
			} {
				if rng.IntN(3) == 0 {
					late = append(late, one)
				} else {
					r = append(r, one)
				}
			}
		}
		r = append(r, storage.GameEnded{Game: k, At: at.Add(time.Hour), How: []storage.EndReason{"finished", "desync"}[rng.IntN(2)], Played: time.Hour})
		rows = append(rows, append(r, late...))
	}
	for len(rows) > 0 {
		i := rng.IntN(len(rows))
		mixed, rows[i] = append(mixed, rows[i][0]), rows[i][1:]
		if len(rows[i]) == 0 {
			rows = slices.Delete(rows, i, i+1)
		}
	}
	return mixed
}
