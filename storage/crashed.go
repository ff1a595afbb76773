package storage

import (
	"context"
	"slices"
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
	Key        GameKey
	Since      time.Time // loaded, else started, else created
	Loaded     bool
	Latency    time.Duration
	LastOfHost time.Time
}

// closeCrashed closes, and counts, open games that a condition on games g chooses. A game
// ended, as far as anyone knows, with the last heartbeat of its host or the
// last thing recorded of it; its length is what that makes.
func (d *Store) closeCrashed(ctx context.Context, tx sqldb.Tx, condition string, args ...any) (int, error) {
	games, err := sqldb.List[crashedGame](ctx, tx, `SELECT g.key, coalesce(g.loaded_at, g.started_at, g.created_at), g.loaded_at IS NOT NULL, g.latency_ms, h.heartbeat_at
		FROM games g LEFT JOIN hosts h ON h.id = g.host_id WHERE g.ended_at IS NULL AND `+condition, args...)
	if err != nil {
		return 0, err
	}
	for _, g := range games {
		last, err := sqldb.One[struct {
			Turn int64
			At   time.Time
		}](ctx, tx, lastSignSQL, g.Key)
		if err != nil {
			return 0, err
		}
		ended := slices.MaxFunc([]time.Time{last.At, g.Since, g.LastOfHost}, time.Time.Compare)
		if ended.IsZero() {
			ended = g.Key.Time()
		}
		played := last.Turn * g.Latency.Milliseconds()
		if g.Loaded {
			played = max(played, ended.Sub(g.Since).Milliseconds())
		}
		_, err = tx.Exec(ctx, "UPDATE games SET ended = $2, ended_at = $3, turns = $4, played_ms = $5 WHERE key = $1",
			g.Key, string(EndCrashed), ended, last.Turn, played)
		if err != nil {
			return 0, err
		}
	}
	_, _, err = d.countEnded(ctx, tx, GameKey{}, countBatch)
	return len(games), err
}
