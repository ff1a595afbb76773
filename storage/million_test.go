package storage_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/storage"
	"w3host/storage/storagetest"
)

// How many games TestMillionGames fills a database with; 0: someGames.
var manyGames = flag.Int("games", 0, "fill databases with so many games, and measure what pages ask of them")

// someGames are filled in within seconds. With the race detector, SQLite is slow.
var someGames = map[string]int{"SQLite": 1000, "Postgres": 20_000}

// pageWithin is how long a page may wait for the game log, 99 times of 100, where that is measured: with -games, on a
// machine that has nothing else to do.
const pageWithin = 50 * time.Millisecond

// fills are games of four players each, one minute apart: 500 maps, 50,000 players, of whom a few play most, and three of
// four addresses are those of one player. {n} is the count.
var fills = map[string][]string{
	"SQLite": {
		`CREATE TEMP TABLE n AS WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < {n} - 1) SELECT n, 1700000000000 + n * 60000 AS ms FROM n`,
		`INSERT INTO hosts VALUES ('00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', 'h', 'v', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', NULL)`,
		`INSERT INTO games (key, host_id, run, name, map_name, map_sha1, created_at, started_at, loaded_at, ended_at, ended, players, played_ms, counted, rated)
			SELECT printf('%08x-%04x-7000-8000-%012x', ms >> 16, ms & 65535, n), '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002',
			'game ' || n, 'Map ' || (n * 7919 % 500), printf('%040x', n * 7919 % 500), strftime('%Y-%m-%dT%H:%M:%fZ', ms / 1000.0, 'unixepoch'),
			strftime('%Y-%m-%dT%H:%M:%fZ', ms / 1000.0 + 60, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', ms / 1000.0 + 90, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', ms / 1000.0 + 1890, 'unixepoch'), 'finished', 4, 1800000, true, true FROM n`,
		`INSERT INTO game_players (game_key, pid, joined_seq, name, name_key, ip, slot, team, colour, race, handicap, ping_ms, actions)
			SELECT printf('%08x-%04x-7000-8000-%012x', ms >> 16, ms & 65535, n), p, p, 'P' || who, 'p' || who, '10.' || (who * 3 / 4 / 65536) || '.' || (who * 3 / 4 / 256 % 256) || '.' || (who * 3 / 4 % 256), p, p, p, 1, 100, 50, 100
			FROM (SELECT n, ms, p, CASE (n * 31 + p * 17) % 4 WHEN 0 THEN (n * 13 + p * 7) % 50 ELSE (n * 104729 + p * 7919) % 50000 END AS who FROM n, (SELECT 1 AS p UNION SELECT 2 UNION SELECT 3 UNION SELECT 4))`,
		`INSERT INTO player_map_totals SELECT name_key, '', map_sha1, map_name, max(p.name), count(*), 0, 0 FROM game_players p JOIN games g ON g.key = p.game_key GROUP BY 1, 3, 4`,
	},
	"Postgres": {
		`INSERT INTO hosts VALUES ('00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', 'h', 'v', now(), now(), NULL)`,
		`INSERT INTO games (key, host_id, run, name, map_name, map_sha1, created_at, started_at, loaded_at, ended_at, ended, players, played_ms, counted, rated)
			SELECT (lpad(to_hex(ms >> 16), 8, '0') || '-' || lpad(to_hex(ms & 65535), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002',
			'game ' || n, 'Map ' || (n * 7919 % 500), lpad(to_hex(n * 7919 % 500), 40, '0'), to_timestamp(ms / 1000.0),
			to_timestamp(ms / 1000.0 + 60), to_timestamp(ms / 1000.0 + 90), to_timestamp(ms / 1000.0 + 1890), 'finished', 4, 1800000, true, true
			FROM (SELECT n, 1700000000000 + n * 60000 AS ms FROM generate_series(0::bigint, {n} - 1) AS n) AS s`,
		`INSERT INTO game_players (game_key, pid, joined_seq, name, name_key, ip, slot, team, colour, race, handicap, ping_ms, actions)
			SELECT (lpad(to_hex(ms >> 16), 8, '0') || '-' || lpad(to_hex(ms & 65535), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, p, p, 'P' || who, 'p' || who,
			('10.' || (who * 3 / 4 / 65536) || '.' || (who * 3 / 4 / 256 % 256) || '.' || (who * 3 / 4 % 256))::inet, p, p, p, 1, 100, 50, 100
			FROM (SELECT n, 1700000000000 + n * 60000 AS ms, p, CASE (n * 31 + p * 17) % 4 WHEN 0 THEN (n * 13 + p * 7) % 50 ELSE (n * 104729 + p * 7919) % 50000 END AS who
				FROM generate_series(0::bigint, {n} - 1) AS n, generate_series(1, 4) AS p) AS s`,
		`INSERT INTO player_map_totals SELECT name_key, '', map_sha1, map_name, max(p.name), count(*), 0, 0 FROM game_players p JOIN games g ON g.key = p.game_key GROUP BY 1, 3, 4`,
	},
}

// filled holds for both.
var filled = []string{
	`INSERT INTO player_totals (name_key, realm, name, games, won, lost, drawn, left_early, dropped, lags, played_ms, actions, pings, ping_ms, first_game, last_game)
		SELECT name_key, '', max(name), sum(games), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL FROM player_map_totals GROUP BY 1`,
	`INSERT INTO map_totals (map_sha1, map_name, category, lobbies, games, finished, desyncs, finished_ms, players, last_game) SELECT map_sha1, map_name, lower(map_name), count(*), count(*), count(*), 0, 0, 0, NULL FROM games GROUP BY 1, 2`,
	`INSERT INTO map_counts (map_sha1, kind, number, games, won) SELECT map_sha1, 'games', 0, count(*), count(*) FROM games GROUP BY 1`,
	`INSERT INTO map_counts (map_sha1, kind, number, games, won) SELECT map_sha1, 'day', CAST(replace(CAST(day AS text), '-', '') AS integer), count(*), 0 FROM game_list GROUP BY 1, 3`,
	`INSERT INTO map_counts (map_sha1, kind, number, games, won) SELECT map_sha1, 'minutes', CAST(substr(map_name, 5) AS integer) % 240, count(*), 0 FROM games GROUP BY 1, 3`,
	`INSERT INTO map_counts (map_sha1, kind, number, games, won) SELECT map_sha1, 'team', players, count(*), 0 FROM games GROUP BY 1, 3`,
	`INSERT INTO map_heroes (map_sha1, hero, games, won) SELECT g.map_sha1, 'Hero ' || p.pid, count(*), 0 FROM games g JOIN game_players p ON p.game_key = g.key GROUP BY 1, 2`,
	`INSERT INTO map_records (map_sha1, name, game_key, pid, number) SELECT map_sha1, 'longest', key, 0, 1800000 FROM (SELECT map_sha1, key, row_number() OVER (PARTITION BY map_sha1 ORDER BY key) AS n FROM games) AS first WHERE n = 1`,
	`INSERT INTO ratings (category, name_key, realm, name, mu, sigma, games) SELECT lower(map_name), name_key, '', name, 25 + games % 10, 8, games FROM player_map_totals`,
	`INSERT INTO audit (run, seq, at, game_key, who, realm, via, action, target, detail, refused) SELECT '00000000-0000-7000-8000-000000000002', game_id, created_at, key, 'Rook', '', 'web', 'kick', 'P1', '', ''
		FROM (SELECT row_number() OVER (ORDER BY key) AS game_id, created_at, key FROM games) AS g`,
}

// TestMillionGames asks a log of many games what the pages ask. No question reads all of a table that grows with the games.
// This measures them in a log with a million games:
//
//	scripts/with-postgres.sh go test ./storage -run TestMillionGames -games 1000000 -v -timeout 30m
func TestMillionGames(t *testing.T) {
	for name, url := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			at, count, asked, limit := url(t), *manyGames, 200, pageWithin
			if count == 0 {
				count, asked, limit = someGames[name], 3, time.Duration(math.MaxInt64) // the plans count, not the time
			}
			db := storagetest.Open(t, at)
			began := time.Now()
			direct := rawDB(t, at)
			if name == "SQLite" {
				_, _ = direct.ExecContext(t.Context(), "PRAGMA synchronous = off; PRAGMA cache_size = -1000000; PRAGMA temp_store = memory")
			}
			for _, statement := range slices.Concat(fills[name], filled, []string{map[string]string{"SQLite": "ANALYZE", "Postgres": "VACUUM ANALYZE"}[name]}) {
				if _, err := direct.ExecContext(t.Context(), strings.ReplaceAll(statement, "{n}", fmt.Sprint(count))); err != nil {
					t.Fatalf("%v: %.200s", err, statement)
				}
			}
			t.Logf("filled in %v", time.Since(began).Round(time.Second))
			pages := pagesOf(t, db, count)
			measure(t, pages, asked, limit)
			explain(t, db, pages)
		})
	}
}

// scan is a line of a plan that reads all of a table or index.
var scan = regexp.MustCompile(`^SCAN (.+)|Seq Scan on (\S+)`)

// scans are those that cost nothing: of tables that have a row for each host, map or ban, or none here; of what an inner
// query has found; of the keys of all games, from the latest on, which LIMIT ends; of the games that are not over.
var scans = []string{
	"hosts", "h LEFT-JOIN", "map_totals", "bans", "bans USING INDEX bans_once", "chat", "desyncs", "player_value_totals", "game_computers", "results", "lags", "drops", "hidden",
	"t USING COVERING INDEX map_totals_games", "ranked", "(subquery-4)", "m", "n", "latest", "CONSTANT ROW", "json_each VIRTUAL TABLE INDEX 1:",
	"games USING COVERING INDEX sqlite_autoindex_games_1", "games USING INDEX games_open", "games USING INDEX games_public",
}

// explain looks at how the database finds what the pages ask.
func explain(t *testing.T, db *storage.Store, pages []page) {
	t.Helper()
	name, lines := "", 0
	db.Explain(func(query, line string) {
		lines++
		found := scan.FindStringSubmatch(line)
		ends := strings.HasPrefix(query, "SELECT EXISTS") // with the first row
		if found != nil && !ends && !slices.Contains(scans, found[1]+found[2]) {
			t.Errorf("%s reads all of %s%s: %s", name, found[1], found[2], query)
		}
	})
	for _, p := range pages {
		for range 3 {
			if name = p.name; p.ask()(t.Context()) != nil {
				t.Fatal(name)
			}
		}
	}
	if lines < len(pages) {
		t.Errorf("only %d lines of plans", lines)
	}
}

// page is what a page asks; each ask is of another player, map or time.
type page struct {
	name string
	ask  func() func(context.Context) error
}

// pagesOf are the pages that read a log of so many games.
func pagesOf(t *testing.T, db *storage.Store, count int) []page {
	random := rand.New(rand.NewPCG(27, 27))
	first := time.UnixMilli(1700000000000)
	some := func() time.Time { return first.Add(time.Duration(random.IntN(count)) * time.Minute) }
	often, seldom := func() string { return fmt.Sprint("P", random.IntN(50)) }, func() string { return fmt.Sprint("P", random.IntN(50000)) }
	games := func(f storage.GameFilter) func(context.Context) error {
		f.Limit = 51
		return func(ctx context.Context) error {
			found, err := db.Games(ctx, f)
			latest := func(a, b storage.Game) int { return strings.Compare(b.Key.String(), a.Key.String()) }
			if !slices.IsSortedFunc(found, latest) || slices.ContainsFunc(found, func(g storage.Game) bool { return !strings.Contains(strings.ToLower(g.MapName), f.Map) }) {
				t.Errorf("%+v: %+v", f, found)
			}
			return err
		}
	}
	profile := func(name string) func(context.Context) error {
		return func(ctx context.Context) error {
			stats, err := db.PlayerStats(ctx, name)
			if errors.Is(err, storage.ErrNotFound) {
				return nil
			}
			_, errGames := db.Games(ctx, storage.GameFilter{Player: name, Limit: 50})
			_, errRatings := db.RatingsOf(ctx, name, stats[0].Maps[0].Name)
			_, errNames := db.Namesakes(ctx, name, 20)
			_, errBans := db.Bans(ctx, false)
			return cmp.Or(err, errGames, errRatings, errNames, errBans)
		}
	}
	public := func(f storage.PublicFilter) func(context.Context) error {
		f.Limit = 51
		return func(ctx context.Context) error {
			found, err := db.PublicMatches(ctx, storage.PublicNames{LAN: true}, f)
			if err == nil && len(found) > 0 {
				_, err = db.PublicGame(ctx, storage.PublicNames{LAN: true}, found[0].Key)
			}
			return err
		}
	}
	aMap := func() func(context.Context) error {
		maps := []string{fmt.Sprintf("%040x", random.IntN(500))}
		return func(ctx context.Context) error {
			_, errStats := db.MapStats(ctx, maps, 20260101, 16)
			records, errRecords := db.MapRecords(ctx, maps)
			if err := cmp.Or(errStats, errRecords); err != nil || len(records) == 0 {
				return err
			}
			_, err := db.PublicMatches(ctx, storage.PublicNames{}, storage.PublicFilter{Keys: []storage.GameKey{records[0].GameKey}, Limit: 1})
			return err
		}
	}
	return []page{
		{"public page of a map", aMap},
		{"public list of maps", func() func(context.Context) error {
			return func(ctx context.Context) error { _, err := db.PublicMaps(ctx); return err }
		}},
		{"public matches", func() func(context.Context) error { return public(storage.PublicFilter{}) }},
		{"public matches, older", func() func(context.Context) error {
			return public(storage.PublicFilter{Before: storage.NewGameKeyAt(some())})
		}},
		{"public matches of who plays often", func() func(context.Context) error { return public(storage.PublicFilter{Player: often()}) }},
		{"public matches of who plays seldom", func() func(context.Context) error { return public(storage.PublicFilter{Player: seldom()}) }},
		{"public matches of a map", func() func(context.Context) error {
			return public(storage.PublicFilter{Maps: []string{fmt.Sprintf("%040x", random.IntN(500))}})
		}},
		{"history", func() func(context.Context) error { return games(storage.GameFilter{}) }},
		{"history, older", func() func(context.Context) error { return games(storage.GameFilter{Before: some()}) }},
		{"history of who plays often", func() func(context.Context) error { return games(storage.GameFilter{Player: often(), Before: some()}) }},
		{"history of who plays seldom", func() func(context.Context) error { return games(storage.GameFilter{Player: seldom()}) }},
		{"history of nobody", func() func(context.Context) error { return games(storage.GameFilter{Player: "nobody"}) }},
		{"search of a map", func() func(context.Context) error {
			return games(storage.GameFilter{Map: fmt.Sprint("map ", random.IntN(500))})
		}},
		{"search of all maps, older", func() func(context.Context) error { return games(storage.GameFilter{Map: "map", Before: some()}) }},
		{"search of no map", func() func(context.Context) error { return games(storage.GameFilter{Map: "nothing"}) }},
		{"search of a map of who plays often", func() func(context.Context) error {
			return games(storage.GameFilter{Map: fmt.Sprint("map ", random.IntN(500)), Player: often()})
		}},
		{"open games of who plays often", func() func(context.Context) error { return games(storage.GameFilter{Player: often(), Open: true}) }},
		{"player who plays often", func() func(context.Context) error { return profile(often()) }},
		{"player who plays seldom", func() func(context.Context) error { return profile(seldom()) }},
		{"audit log, older", func() func(context.Context) error {
			return func(ctx context.Context) error { _, _, err := db.AuditLog(ctx, some(), 50); return err }
		}},
	}
}

// measure asks for each page so many times.
func measure(t *testing.T, pages []page, times int, limit time.Duration) {
	t.Helper()
	for _, page := range pages {
		var took []time.Duration
		for range times {
			ask := page.ask()
			began := time.Now()
			if err := ask(t.Context()); err != nil {
				t.Fatalf("%s: %v", page.name, err)
			}
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		median, p99 := took[len(took)/2], took[len(took)*99/100]
		t.Logf("%-38s median %8v, p99 %8v", page.name, median.Round(10*time.Microsecond), p99.Round(10*time.Microsecond))
		if p99 > limit {
			t.Errorf("%s: p99 is %v, more than %v", page.name, p99, limit)
		}
	}
}
