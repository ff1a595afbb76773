package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

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
	"CREATE TEMP TABLE told AS SELECT game_key, pid, value FROM results WHERE name = 'outcome'",
	"CREATE TEMP TABLE waits AS SELECT game_key, pid, count(*) AS lags FROM lags GROUP BY game_key, pid",
	`CREATE TEMP TABLE facts AS SELECT p.name_key, p.name, g.map_sha1, g.map_name, t.value AS outcome, d.pid AS dropped, coalesce(w.lags, 0) AS lags,
			p.actions, p.ping_ms, g.started_at
		FROM game_players p JOIN games g ON g.key = p.game_key LEFT JOIN told t ON t.game_key = p.game_key AND t.pid = p.pid
			LEFT JOIN waits w ON w.game_key = p.game_key AND w.pid = p.pid LEFT JOIN drops d ON d.game_key = p.game_key AND d.pid = p.pid`,
	`INSERT INTO player_totals SELECT name_key, '', max(name), count(*), count(*) FILTER (WHERE outcome = 'won'), count(*) FILTER (WHERE outcome = 'lost'),
			0, 0, count(dropped), sum(lags), 2100000 * count(*), sum(actions), count(ping_ms), sum(ping_ms), min(started_at), max(started_at)
		FROM facts GROUP BY name_key`,
	`INSERT INTO player_map_totals SELECT name_key, '', map_sha1, max(map_name), max(name), count(*), count(*) FILTER (WHERE outcome = 'won'),
			count(*) FILTER (WHERE outcome = 'lost') FROM facts GROUP BY name_key, map_sha1`,
	`INSERT INTO player_value_totals SELECT name_key, '', 'dota', 'kills', count(*), sum(number), max(number)
		FROM results r JOIN game_players p ON p.game_key = r.game_key AND p.pid = r.pid WHERE r.name = 'kills' GROUP BY name_key`,
	`INSERT INTO map_totals SELECT map_sha1, max(map_name), count(*), count(*), count(*) FILTER (WHERE ended = 'finished'),
			count(*) FILTER (WHERE ended = 'desync'), 2160000 * count(*) FILTER (WHERE ended = 'finished'), 10 * count(*), max(started_at) FROM games GROUP BY map_sha1`,
	`INSERT INTO day_totals SELECT (created_at AT TIME ZONE 'UTC')::date, count(*), count(*), count(*) FILTER (WHERE ended = 'desync'),
			count(*) FILTER (WHERE ended = 'host crashed'), 10 * count(*) FROM games GROUP BY 1`,
}

// fill writes the games. The indexes of the large tables are built when all is there.
func fill(ctx context.Context, conn *pgx.Conn, games int) error {
	statements := slices.Concat([]string{
		"SET synchronous_commit = off", "SET maintenance_work_mem = '512MB'", "SET work_mem = '256MB'", "SET jit = off",
		"SET session_replication_role = replica",
	}, fillSQL, totalSQL)
	indexes, err := dropIndexes(ctx, conn)
	if err != nil {
		return err
	}
	for _, s := range append(append(statements, indexes...), "VACUUM ANALYZE", "RESET work_mem", "RESET jit", "RESET session_replication_role") {
		if _, err := conn.Exec(ctx, strings.ReplaceAll(s, "@GAMES", strconv.Itoa(games))); err != nil {
			return fmt.Errorf("%.60s: %w", s, err)
		}
	}
	return nil
}

// dropIndexes drops the plain indexes of the large tables, and gives what makes
// them again.
func dropIndexes(ctx context.Context, conn *pgx.Conn) (again []string, err error) {
	rows, err := conn.Query(ctx, `SELECT i.indexname, i.indexdef FROM pg_indexes i JOIN pg_class c ON c.relname = i.indexname
		JOIN pg_index x ON x.indexrelid = c.oid WHERE i.schemaname = current_schema() AND i.tablename IN ('games', 'game_players', 'results') AND NOT x.indisprimary`)
	if err != nil {
		return nil, err
	}
	var names []string
	for rows.Next() {
		var name, definition string
		if err := rows.Scan(&name, &definition); err != nil {
			return nil, err
		}
		names, again = append(names, name), append(again, definition)
	}
	if rows.Close(); rows.Err() != nil {
		return nil, rows.Err()
	}
	_, err = conn.Exec(ctx, "DROP INDEX "+strings.Join(names, ", "))
	return again, err
}
