package storage_test

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"w3host/storage"
	"w3host/storage/storagetest"
)

// BenchmarkLists is how long the lists take that people wait for, in a Postgres with
// W3HOST_BENCH_GAMES games of ten players. p50 and p99 are in ms.
func BenchmarkLists(b *testing.B) {
	games, err := strconv.Atoi(os.Getenv("W3HOST_BENCH_GAMES"))
	if err != nil {
		b.Skip("SKIPPED: set W3HOST_BENCH_GAMES to the number of games")
	}
	url := storagetest.Postgres(b)
	db := storagetest.Open(b, url)
	began := time.Now()
	conn := fill(b, url, games)
	b.Logf("%d games in %.0f s", games, time.Since(began).Seconds())
	const star = "player1" // the most active player
	ago := func(days int) time.Time { return time.Now().AddDate(0, 0, -days) }
	for _, q := range []struct {
		name string
		ask  func(context.Context) error
	}{
		{"stats of the most active player", func(ctx context.Context) error { _, err := db.PlayerStats(ctx, star); return err }},
		{"50 players with most wins", each(conn, "SELECT * FROM player_stats ORDER BY won DESC, lost LIMIT 50")},
		{"50 best rated of a category", func(ctx context.Context) error { _, err := db.BestRated(ctx, "map", 50); return err }},
		{"rating of a player", func(ctx context.Context) error { _, err := db.Rating(ctx, star, "", "Map"); return err }},
		{"20 maps", each(conn, "SELECT * FROM map_stats ORDER BY games DESC LIMIT 20")},
		{"30 days", each(conn, "SELECT * FROM daily_games ORDER BY day DESC LIMIT 30")},
		{"games", list(db, storage.GameFilter{Limit: 20})},
		{"games of the most active player", list(db, storage.GameFilter{Limit: 20, Player: star})},
		{"games of a rare player", list(db, storage.GameFilter{Limit: 20, Player: "player250000"})},
		{"games of a rare map", list(db, storage.GameFilter{Limit: 20, Map: "map 199"})},
		{"games of a day a year ago", list(db, storage.GameFilter{Limit: 20, Since: ago(366), Before: ago(365)})},
		{"games that have not ended", list(db, storage.GameFilter{Limit: 20, Open: true})},
		{"longest games of this week", each(conn, `SELECT name, map_name, players, played_ms FROM game_list
			WHERE started_at > now() - interval '7 days' ORDER BY played_ms DESC LIMIT 20`)},
		{"players of a network", each(conn, "SELECT DISTINCT name FROM played WHERE address <<= '10.3.200.0/24'")},
		{"other names of an address", func(ctx context.Context) error { _, err := db.Namesakes(ctx, "player250000", 10); return err }},
		{"the latest game", func(ctx context.Context) error { _, err := db.Game(ctx, storage.GameKey{}); return err }},
	} {
		b.Run(strings.ReplaceAll(q.name, " ", "_"), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				if err := q.ask(b.Context()); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			for name, at := range map[string]int{"p50-ms": len(took) / 2, "p99-ms": len(took) * 99 / 100} {
				b.ReportMetric(took[at].Seconds()*1e3, name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func list(db *storage.Store, f storage.GameFilter) func(context.Context) error {
	return func(ctx context.Context) error { _, err := db.Games(ctx, f); return err }
}

func each(conn *pgx.Conn, query string) func(context.Context) error {
	return func(ctx context.Context) error { _, err := conn.Exec(ctx, query); return err }
}

// fill writes the games, and the totals that counting them would give.
func fill(b *testing.B, url string, games int) *pgx.Conn {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close(context.Background()) })
	for _, s := range slices.Concat([]string{
		"SET synchronous_commit = off", "SET maintenance_work_mem = '512MB'", "SET work_mem = '256MB'", "SET jit = off",
		"SET session_replication_role = replica", // no checks of foreign keys
	}, fillSQL, totalSQL, []string{"VACUUM ANALYZE", "RESET work_mem", "RESET jit", "RESET session_replication_role"}) {
		if _, err := conn.Exec(b.Context(), strings.ReplaceAll(s, "@GAMES", strconv.Itoa(games))); err != nil {
			b.Fatalf("%.60s: %v", s, err)
		}
	}
	return conn
}

// fillSQL makes games, ten players each, over
// 1,080 days. Player n plays in inverse proportion to n: of a hundred rows of
// players five are the most active one's. Lines of chat are left out: no query
// here looks at them.
var fillSQL = []string{
	// A key is a UUID version 7 of the time the lobby opened.
	`CREATE OR REPLACE FUNCTION pg_temp.key_at(at timestamptz, n bigint) RETURNS uuid LANGUAGE sql AS $$
		SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid $$`,
	`CREATE TEMP TABLE drawn AS SELECT n, now() - interval '1080 days' + n * (interval '1080 days' / @GAMES) AS at,
		pg_temp.key_at(now() - interval '1080 days' + n * (interval '1080 days' / @GAMES), n) AS key, (200 * power(random(), 3))::int AS map
		FROM generate_series(1, @GAMES) n`,
	`INSERT INTO hosts (id, run, name, version, started_at, heartbeat_at)
		VALUES ('01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002', 'bench', '1', now(), now())`,
	`INSERT INTO games (key, host_id, run, name, owner, version, map_name, map_path, map_size, map_crc32, map_checksum, map_sha1,
			latency_ms, created_at, started_at, loaded_at, ended_at, ended, turns, played_ms, counted, players)
		SELECT key, '01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002', 'game ' || n, 'Player1', '1.26',
			'Map ' || map, 'Maps\Download\Map ' || map || '.w3x', 8000000, '00000000', '00000000', lpad(to_hex(map), 40, '0'), 100,
			at, at + interval '3 minutes', at + interval '4 minutes', at + interval '40 minutes',
			CASE WHEN n % 50 = 0 THEN 'desync' WHEN n % 70 = 0 THEN 'host crashed' ELSE 'finished' END, 21600, 2160000, true, 10
		FROM drawn`,
	`INSERT INTO game_players (game_key, pid, joined_seq, name, name_key, realm, ip, slot, team, colour, race, handicap,
			joined_at, loaded_after_ms, left_at, left_turn, left_code, left_reason, ping_ms, actions)
		SELECT key, pid, pid, 'Player' || who, 'player' || who, '', ('10.' || (who / 65536) % 256 || '.' || (who / 256) % 256 || '.' || who % 256)::inet,
			pid - 1, pid % 2, pid - 1, 1, 100, at, 20000, at + interval '39 minutes', 21000, 7, 'lost', 40 + who % 100, 3000
		FROM (SELECT d.key, d.at, pid, floor(power(300000.0, random()))::int AS who FROM drawn d, generate_series(1, 10) pid) p`,
	`INSERT INTO results (game_key, seq, turn, source, sender, pid, name, value, number, contradicts)
		SELECT d.key, 1000 + pid, 21000, 'w3mmd', 1, pid, 'outcome', CASE WHEN pid % 2 = d.n % 2 THEN 'won' ELSE 'lost' END, NULL, false
		FROM drawn d, generate_series(1, 10) pid WHERE d.n % 4 = 0`,
	`INSERT INTO results (game_key, seq, turn, source, sender, pid, name, value, number, contradicts)
		SELECT d.key, 2000 + pid, 21000, 'dota', 1, pid, 'kills', d.n % 20, d.n % 20, false
		FROM drawn d, generate_series(1, 10) pid WHERE d.n % 4 = 0`,
	`INSERT INTO lags (game_key, seq, turn, pid, lasted_ms, behind, ping_ms, host_late_ms, backlog, cause)
		SELECT d.key, 3000 + pid, 500, pid, 2000, 55, 300, 0, 0, 'connection' FROM drawn d, generate_series(1, 2) pid`,
	`INSERT INTO drops (game_key, seq, turn, pid, reason, decided_by, votes) SELECT key, 4000, 500, 1, 'vote', '', 6 FROM drawn WHERE n % 10 = 0`,
}

// totalSQL fills the totals that counting these games one by one would give.
var totalSQL = []string{
	"CREATE TEMP TABLE outcomes AS SELECT game_key, pid, value FROM results WHERE name = 'outcome'",
	"CREATE TEMP TABLE waits AS SELECT game_key, pid, count(*) AS lags FROM lags GROUP BY game_key, pid",
	`CREATE TEMP TABLE facts AS SELECT p.name_key, p.name, g.map_sha1, g.map_name, t.value AS outcome, d.pid AS dropped, coalesce(w.lags, 0) AS lags,
			p.actions, p.ping_ms, g.started_at
		FROM game_players p JOIN games g ON g.key = p.game_key LEFT JOIN outcomes t ON t.game_key = p.game_key AND t.pid = p.pid
			LEFT JOIN waits w ON w.game_key = p.game_key AND w.pid = p.pid LEFT JOIN drops d ON d.game_key = p.game_key AND d.pid = p.pid`,
	`INSERT INTO player_totals SELECT name_key, '', max(name), count(*), count(*) FILTER (WHERE outcome = 'won'), count(*) FILTER (WHERE outcome = 'lost'),
			0, 0, count(dropped), sum(lags), 2100000 * count(*), sum(actions), count(ping_ms), sum(ping_ms), min(started_at), max(started_at)
		FROM facts GROUP BY name_key`,
	`INSERT INTO player_map_totals SELECT name_key, '', map_sha1, max(map_name), max(name), count(*), count(*) FILTER (WHERE outcome = 'won'),
			count(*) FILTER (WHERE outcome = 'lost') FROM facts GROUP BY name_key, map_sha1`,
	`INSERT INTO player_value_totals SELECT name_key, '', 'dota', 'kills', count(*), sum(number), max(number)
		FROM results r JOIN game_players p ON p.game_key = r.game_key AND p.pid = r.pid WHERE r.name = 'kills' GROUP BY name_key`,
	`INSERT INTO ratings SELECT 'map', name_key, '', name, 25 + 5 * random(), 8 * random(), games FROM player_totals`,
	`INSERT INTO map_totals SELECT map_sha1, max(map_name), count(*), count(*), count(*) FILTER (WHERE ended = 'finished'),
			count(*) FILTER (WHERE ended = 'desync'), 2160000 * count(*) FILTER (WHERE ended = 'finished'), 10 * count(*), max(started_at) FROM games GROUP BY map_sha1`,
	`INSERT INTO day_totals SELECT (created_at AT TIME ZONE 'UTC')::date, count(*), count(*), count(*) FILTER (WHERE ended = 'desync'),
			count(*) FILTER (WHERE ended = 'host crashed'), 10 * count(*) FROM games GROUP BY 1`,
}
