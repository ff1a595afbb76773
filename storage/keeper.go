package storage

import (
	"context"
	"fmt"
	"time"

	"w3host/storage/internal/sqldb"
)

// Batches are small, so that a host that runs beside them never waits long.
const (
	rateBatch = 200  // games
	gameBatch = 50   // games, with everything that hangs on them
	rowBatch  = 2000 // rows
)

// Keep says how long things are kept; zero is for ever.
type Keep struct {
	Chat      time.Duration // lines of chat
	Addresses time.Duration // of players
	Games     time.Duration // games with all that belongs to them
	Audit     time.Duration // lines of audit
}

// Pruned counts the things that Prune removed, or would remove.
type Pruned struct {
	Chat      int64 `json:"chat_lines"`
	Addresses int64 `json:"addresses"`
	Games     int64 `json:"games"`
	Audit     int64 `json:"audit_lines"`
}

// inBatches runs step, a transaction at a time, until it changes nothing, and
// returns the number of rows that the steps changed. It rests half as long as it works.
func (d *Store) inBatches(ctx context.Context, step func(context.Context, sqldb.Tx) (n int64, err error)) (sum int64, err error) {
	for {
		began := time.Now()
		n, err := inTx(ctx, d, func(tx sqldb.Tx) (int64, error) { return step(ctx, tx) })
		if sum += n; err != nil || n == 0 {
			return sum, err
		}
		select {
		case <-ctx.Done():
			return sum, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
		case <-time.After(time.Since(began) / 2):
		}
	}
}

// expired describes the rows of one age of Keep. from chooses the rows by $1,
// the key before which all is too old, or the time.
type expired struct {
	age          time.Duration
	before       any
	count        *int64
	batch        int    // rows
	from, remove string // remove takes $2 rows
}

// Prune removes records older than keep says, by the time in the game's key; lines of
// audit, which need not have a game, by their own. Games that have not ended stay; totals stay. With dry it only counts.
func (d *Store) Prune(ctx context.Context, keep Keep, dry bool) (done Pruned, err error) {
	before := func(age time.Duration) GameKey { return oldestKey(time.Now().Add(-age)) }
	for _, e := range []expired{
		{
			keep.Games, before(keep.Games), &done.Games, gameBatch, "games WHERE key < $1 AND ended_at IS NOT NULL",
			"DELETE FROM games WHERE key IN (SELECT key FROM games WHERE key < $1 AND ended_at IS NOT NULL ORDER BY key LIMIT $2)",
		},
		{keep.Chat, before(keep.Chat), &done.Chat, rowBatch, "chat WHERE game_key < $1", `DELETE FROM chat WHERE (game_key, seq) IN
			(SELECT game_key, seq FROM chat WHERE game_key < $1 ORDER BY game_key, seq LIMIT $2)`},
		{
			keep.Addresses, before(keep.Addresses), &done.Addresses, rowBatch, "game_players WHERE ip IS NOT NULL AND game_key < $1",
			`UPDATE game_players SET ip = NULL WHERE (game_key, pid, joined_seq) IN
			(SELECT game_key, pid, joined_seq FROM game_players WHERE ip IS NOT NULL AND game_key < $1 ORDER BY game_key LIMIT $2)`,
		},
		{
			keep.Audit, time.Now().Add(-keep.Audit), &done.Audit, rowBatch, "audit WHERE at < $1",
			"DELETE FROM audit WHERE (run, seq) IN (SELECT run, seq FROM audit WHERE at < $1 ORDER BY at LIMIT $2)",
		},
	} {
		if e.age <= 0 {
			continue
		}
		if dry {
			*e.count, err = sqldb.One[int64](ctx, d.sql, "SELECT count(*) FROM "+e.from, e.before)
		} else {
			*e.count, err = d.inBatches(ctx, func(ctx context.Context, tx sqldb.Tx) (int64, error) {
				return tx.Exec(ctx, e.remove, e.before, e.batch)
			})
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
