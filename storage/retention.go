package storage

import (
	"context"
	"fmt"
	"time"

	"w3host/storage/internal/sqldb"
)

// Sizes of batches. They are small so that hosts using the database never wait long.
const (
	rateBatch = 200  // games
	gameBatch = 50   // games with all dependent rows
	rowBatch  = 2000 // rows
)

// RetentionPolicy is how long each kind of data is kept. Zero means forever.
type RetentionPolicy struct {
	Chat      time.Duration // chat lines
	Addresses time.Duration // players' addresses
	Games     time.Duration // games with all their data
	Audit     time.Duration // audit lines
}

// Pruned counts what Prune deleted, or would delete.
type Pruned struct {
	Chat      int64 `json:"chat_lines"`
	Addresses int64 `json:"addresses"`
	Games     int64 `json:"games"`
	Audit     int64 `json:"audit_lines"`
}

// inBatches runs step in one transaction after another until it changes nothing, and returns the total of
// changed rows. After each step it pauses for half of the step's duration.
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

// expired describes one kind of data to prune. from selects rows by $1, which is a time or the oldest game
// key to keep.
type expired struct {
	age          time.Duration
	before       any
	count        *int64
	batch        int    // rows per transaction
	from, remove string // remove deletes $2 of the selected rows
}

// Prune deletes data older than keep allows, judged by the time in the game's key, or by the line's own time
// for audit lines. It keeps unfinished games and all totals. If dry is set, it only counts.
func (d *Store) Prune(ctx context.Context, keep RetentionPolicy, dry bool) (done Pruned, err error) {
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
