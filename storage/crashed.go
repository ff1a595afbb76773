package storage

import (
	"context"
	"time"

	"w3host/storage/internal/sqldb"
)

// lastSignSQL finds what the records of a game say last.
const lastSignSQL = `SELECT coalesce(max(turn), 0), max(at) FROM (
	SELECT turn, at FROM chat WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM lags WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM drops WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM links WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM desyncs WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM results WHERE game_key = $1 UNION ALL
	SELECT left_turn, left_at FROM game_players WHERE game_key = $1) signs`

// crashedGame is an open game of a host that is dead.
type crashedGame struct {
	key        GameKey
	since      time.Time // loaded, else started, else created
	loaded     bool
	latency    int64 // ms
	lastOfHost time.Time
}

// closeCrashed closes open games that a condition on games g chooses. A game
// ended, as far as anyone knows, with the last heartbeat of its host or the
// last thing recorded of it; its length is what that makes.
func closeCrashed(ctx context.Context, tx sqldb.Tx, condition string, args ...any) (int, error) {
	var games []crashedGame
	err := tx.Query(ctx, `SELECT g.key, coalesce(g.loaded_at, g.started_at, g.created_at), g.loaded_at IS NOT NULL, g.latency_ms, h.heartbeat_at
		FROM games g LEFT JOIN hosts h ON h.id = g.host_id WHERE g.ended_at IS NULL AND `+condition, args,
		func(scan sqldb.Scan) error {
			var g crashedGame
			err := scan(&g.key, at(&g.since), &g.loaded, &g.latency, at(&g.lastOfHost))
			games = append(games, g)
			return err
		})
	if err != nil {
		return 0, err
	}
	for _, g := range games {
		var turn int64
		var ended time.Time
		if err := tx.One(ctx, lastSignSQL, []any{g.key}, &turn, at(&ended)); err != nil {
			return 0, err
		}
		for _, sign := range []time.Time{g.since, g.lastOfHost} {
			if sign.After(ended) {
				ended = sign
			}
		}
		if ended.IsZero() {
			ended = g.key.Time()
		}
		played := turn * g.latency
		if g.loaded {
			played = max(played, ended.Sub(g.since).Milliseconds())
		}
		_, err := tx.Exec(ctx, "UPDATE games SET ended = $2, ended_at = $3, turns = $4, played_ms = $5 WHERE key = $1",
			g.key, string(EndCrashed), ended, turn, played)
		if err != nil {
			return 0, err
		}
	}
	return len(games), nil
}
