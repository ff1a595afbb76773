package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"w3host/storage/internal/sqldb"
)

// The totals (player_totals, map_totals …) are sums over the games that have
// ended, and games.counted says which are in. A game is counted in the
// transaction that ends it. When more is written about a counted game, it is
// taken out before and put in again after, by the same statements with the
// opposite sign: so a record that is replayed counts once.
//
// most, first_game and last_game only ever widen: a correction does not take a value
// back.

// inKeys is the condition that a column names one of the games of the list $1,
// which keyArg makes.
func (d *Store) inKeys(column string) string { return d.inList(column, "uuid", 1) }

// inList is the same for any type, with the list as argument n. An array leads
// Postgres to an index whatever it thinks of the length of the list.
func (d *Store) inList(column, kind string, n int) string {
	if d.isPostgres() {
		return fmt.Sprintf("%s = ANY (ARRAY(SELECT CAST(value AS %s) FROM json_array_elements_text(CAST($%d AS json))))", column, kind, n)
	}
	return fmt.Sprintf("%s IN (SELECT value FROM json_each($%d))", column, n)
}

func keyArg(keys []GameKey) string {
	text, _ := json.Marshal(keys) // texts
	return string(text)
}

// totals are the statements that add the games of the list $1 to the totals, $2
// times: 1 or -1. Rows are locked in the order of their keys, so that hosts that
// count at once do not wait for each other in a circle. Taking out and putting in
// goes over them twice and may do so: Postgres ends one of the two, and its batch is
// tried again.
func (d *Store) totals() []string {
	return []string{
		`INSERT INTO player_totals (name_key, realm, name, games, won, lost, drawn, left_early, dropped, lags,
			played_ms, actions, pings, ping_ms, first_game, last_game)
		SELECT name_key, realm, max(name), $2 * count(*), $2 * count(*) FILTER (WHERE outcome = 'won'),
			$2 * count(*) FILTER (WHERE outcome = 'lost'), $2 * count(*) FILTER (WHERE outcome = 'drew'),
			$2 * count(*) FILTER (WHERE outcome = 'left'), $2 * count(*) FILTER (WHERE drops > 0), $2 * sum(lags),
			$2 * sum(coalesce(played_ms, 0)), $2 * sum(coalesce(actions, 0)), $2 * count(ping_ms), $2 * sum(coalesce(ping_ms, 0)),
			min(started_at), max(started_at)
		FROM played WHERE ` + d.inKeys("game_key") + ` GROUP BY name_key, realm ORDER BY name_key, realm
		ON CONFLICT (name_key, realm) DO UPDATE SET ` + added("player_totals", "games", "won", "lost", "drawn", "left_early",
			"dropped", "lags", "played_ms", "actions", "pings", "ping_ms") + `,
			name = CASE WHEN excluded.games > 0 THEN excluded.name ELSE player_totals.name END,
			first_game = ` + wider("player_totals", "first_game", "<") + `, last_game = ` + wider("player_totals", "last_game", ">"),

		`INSERT INTO player_map_totals (name_key, realm, map_sha1, map_name, name, games, won, lost)
		SELECT name_key, realm, map_sha1, max(map_name), max(name), $2 * count(*),
			$2 * count(*) FILTER (WHERE outcome = 'won'), $2 * count(*) FILTER (WHERE outcome = 'lost')
		FROM played WHERE ` + d.inKeys("game_key") + ` GROUP BY name_key, realm, map_sha1 ORDER BY name_key, realm, map_sha1
		ON CONFLICT (name_key, realm, map_sha1) DO UPDATE SET ` + added("player_map_totals", "games", "won", "lost") + `,
			map_name = excluded.map_name, name = CASE WHEN excluded.games > 0 THEN excluded.name ELSE player_map_totals.name END`,

		// One value per game, whoever sent it; games where senders disagree drop out.
		`INSERT INTO player_value_totals (name_key, realm, source, name, games, sum, most)
		SELECT name_key, realm, source, name, $2 * count(*), $2 * sum(number), max(number) FROM (
			SELECT p.name_key, p.realm, r.game_key, r.source, r.name, max(r.number) AS number
			FROM game_players p JOIN results r ON r.game_key = p.game_key AND r.pid = p.pid
			WHERE ` + d.inKeys("p.game_key") + ` AND p.slot IS NOT NULL AND NOT p.fake AND NOT r.doubtful
			GROUP BY p.name_key, p.realm, r.game_key, r.source, r.name
			HAVING min(r.value) = max(r.value) AND max(r.number) IS NOT NULL AND count(*) FILTER (WHERE r.contradicts) = 0) told
		GROUP BY name_key, realm, source, name ORDER BY name_key, realm, source, name
		ON CONFLICT (name_key, realm, source, name) DO UPDATE SET ` + added("player_value_totals", "games", "sum") + `,
			most = CASE WHEN excluded.games > 0 THEN ` + wider("player_value_totals", "most", ">") + ` ELSE player_value_totals.most END`,

		`INSERT INTO map_totals (map_sha1, map_name, lobbies, games, finished, desyncs, finished_ms, players, last_game)
		SELECT map_sha1, max(map_name), $2 * count(*), $2 * count(started_at), $2 * count(*) FILTER (WHERE ended = 'finished'),
			$2 * count(*) FILTER (WHERE ended = 'desync'), $2 * coalesce(sum(played_ms) FILTER (WHERE ended = 'finished'), 0),
			$2 * coalesce(sum(players) FILTER (WHERE started_at IS NOT NULL), 0), max(started_at)
		FROM games WHERE ` + d.inKeys("key") + ` GROUP BY map_sha1 ORDER BY map_sha1
		ON CONFLICT (map_sha1) DO UPDATE SET ` + added("map_totals", "lobbies", "games", "finished", "desyncs", "finished_ms", "players") + `,
			map_name = excluded.map_name, last_game = ` + wider("map_totals", "last_game", ">"),

		`INSERT INTO day_totals (day, lobbies, games, desyncs, crashed, players)
		SELECT day, $2 * count(*), $2 * count(started_at), $2 * count(*) FILTER (WHERE ended = 'desync'),
			$2 * count(*) FILTER (WHERE ended = 'host crashed'), $2 * coalesce(sum(players) FILTER (WHERE started_at IS NOT NULL), 0)
		FROM game_list WHERE ` + d.inKeys("key") + ` AND created_at IS NOT NULL GROUP BY day ORDER BY day
		ON CONFLICT (day) DO UPDATE SET ` + added("day_totals", "lobbies", "games", "desyncs", "crashed", "players"),
	}
}

// added sets columns, in an upsert, to the sum of the row and the new row.
func added(table string, columns ...string) string {
	for i, c := range columns {
		columns[i] = c + " = " + table + "." + c + " + excluded." + c
	}
	return strings.Join(columns, ", ")
}

// wider is the value of the new row, if it compares so with that of the row, or the
// row has none.
func wider(table, column, compares string) string {
	row := table + "." + column
	return "CASE WHEN " + row + " IS NULL OR excluded." + column + " " + compares + " " + row + " THEN excluded." + column + " ELSE " + row + " END"
}

// addTotals adds games to the totals, or takes them out with the sign -1.
func (d *Store) addTotals(ctx context.Context, tx sqldb.Tx, sign int, keys []GameKey) error {
	if len(keys) == 0 {
		return nil
	}
	if d.isPostgres() { // compiling these takes longer than running them
		if _, err := tx.Exec(ctx, "SET LOCAL jit = off"); err != nil {
			return err
		}
	}
	for _, query := range d.totals() {
		if _, err := tx.Exec(ctx, query, keyArg(keys), sign); err != nil {
			return err
		}
	}
	return nil
}

// uncount takes those games out of the totals that are in them, and holds the
// rows of all until the transaction ends: no other host may count them meanwhile.
func (d *Store) uncount(ctx context.Context, tx sqldb.Tx, keys []GameKey) error {
	if len(keys) == 0 {
		return nil
	}
	lock := ""
	if d.isPostgres() {
		lock = " ORDER BY key FOR NO KEY UPDATE"
	}
	games, err := sqldb.List[struct {
		Key     GameKey
		Counted bool
	}](ctx, tx, "SELECT key, counted FROM games WHERE "+d.inKeys("key")+lock, keyArg(keys))
	var counted []GameKey
	for _, g := range games {
		if g.Counted {
			counted = append(counted, g.Key)
		}
	}
	if err != nil || len(counted) == 0 {
		return err
	}
	if err := d.addTotals(ctx, tx, -1, counted); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE games SET counted = false WHERE "+d.inKeys("key"), keyArg(counted))
	return err
}

// count puts those games into the totals that have ended and are not in.
func (d *Store) count(ctx context.Context, tx sqldb.Tx, keys []GameKey) error {
	ended, err := sqldb.List[GameKey](ctx, tx, `UPDATE games SET counted = true, players = (SELECT count(*) FROM game_players p
			WHERE p.game_key = games.key AND p.slot IS NOT NULL AND NOT p.fake)
		WHERE `+d.inKeys("key")+` AND ended_at IS NOT NULL AND NOT counted RETURNING key`, keyArg(keys))
	if err != nil {
		return err
	}
	return d.addTotals(ctx, tx, 1, ended)
}
