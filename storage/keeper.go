package storage

import (
	"context"
	"fmt"
	"time"

	"w3host/storage/internal/sqldb"
)

// Batches are small, so that a host that runs beside them never waits long.
const (
	countBatch = 200  // games
	gameBatch  = 50   // games, with everything that hangs on them
	rowBatch   = 2000 // rows
)

// Keep says how long things are kept; zero is for ever.
type Keep struct {
	Chat      time.Duration // lines of chat
	Addresses time.Duration // of players
	Games     time.Duration // games with all that belongs to them
}

// Pruned is what Prune removed, or would remove.
type Pruned struct {
	Chat      int64 `json:"chat_lines"`
	Addresses int64 `json:"addresses"`
	Games     int64 `json:"games"`
}

// CarryOver brings rows that an older program wrote into their present
// form, and counts games that no host has counted. It calls progress, which
// may be nil, after each batch with the number of rows so far.
func (d *Store) CarryOver(ctx context.Context, progress func(int64)) (rows int64, err error) {
	var last GameKey
	rows, err = d.inBatches(ctx, 0, progress, func(ctx context.Context, tx sqldb.Tx) (bool, int64, error) {
		next, n, err := d.countEnded(ctx, tx, last, countBatch)
		last = next
		return !next.IsZero(), int64(n), err
	})
	if err != nil || !d.isPostgres() {
		return rows, err
	}
	// Addresses in their old place: if there is any, in any game.
	found, err := sqldb.One[bool](ctx, d.sql, "SELECT EXISTS (SELECT 1 FROM game_players WHERE address IS NOT NULL)")
	if err != nil || !found {
		return rows, err
	}
	return d.inBatches(ctx, rows, progress, func(ctx context.Context, tx sqldb.Tx) (bool, int64, error) {
		keys, err := sqldb.List[GameKey](ctx, tx, "SELECT key FROM games WHERE key > $1 ORDER BY key LIMIT $2", last.String(), countBatch)
		if err != nil || len(keys) == 0 {
			return false, 0, err
		}
		last = keys[len(keys)-1]
		n, err := tx.Exec(ctx, "UPDATE game_players SET ip = coalesce(ip, CAST(split_part(address, '%', 1) AS inet)), address = NULL WHERE "+
			d.inKeys("game_key")+" AND address IS NOT NULL", keyArg(keys))
		return true, n, err
	})
}

// inBatches runs step, a transaction at a time, until it says that there is no
// more, and returns sum plus what each step counted. It rests half as long as it works.
func (d *Store) inBatches(ctx context.Context, sum int64, progress func(sum int64), step func(context.Context, sqldb.Tx) (more bool, n int64, err error)) (int64, error) {
	for {
		var more bool
		began := time.Now()
		n, err := inTx(ctx, d, func(tx sqldb.Tx) (n int64, err error) {
			more, n, err = step(ctx, tx)
			return n, err
		})
		if err != nil {
			return sum, err
		}
		if sum += n; progress != nil {
			progress(sum)
		}
		if !more {
			return sum, nil
		}
		select {
		case <-ctx.Done():
			return sum, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
		case <-time.After(time.Since(began) / 2):
		}
	}
}

// expired is what one of the ages of Keep is about. from chooses the rows by $1,
// the key before which all is too old.
type expired struct {
	age          time.Duration
	count        *int64
	batch        int    // rows
	from, remove string // remove takes $2 rows
}

// Prune removes what is older than keep says, by the time in the game's key.
// Games that have not ended stay; totals stay. With dry it only counts.
func (d *Store) Prune(ctx context.Context, keep Keep, dry bool) (done Pruned, err error) {
	if keep.Games > 0 && !dry { // a game that is not counted would be missing in the totals
		if _, err := d.CarryOver(ctx, nil); err != nil {
			return done, err
		}
	}
	now := time.Now()
	for _, e := range []expired{
		{
			keep.Games, &done.Games, gameBatch, "games WHERE key < $1 AND ended_at IS NOT NULL",
			"DELETE FROM games WHERE key IN (SELECT key FROM games WHERE key < $1 AND ended_at IS NOT NULL ORDER BY key LIMIT $2)",
		},
		{keep.Chat, &done.Chat, rowBatch, "chat WHERE game_key < $1", `DELETE FROM chat WHERE (game_key, seq) IN
			(SELECT game_key, seq FROM chat WHERE game_key < $1 ORDER BY game_key, seq LIMIT $2)`},
		{
			keep.Addresses, &done.Addresses, rowBatch, "game_players WHERE ip IS NOT NULL AND game_key < $1",
			`UPDATE game_players SET ip = NULL WHERE (game_key, pid, joined_seq) IN
			(SELECT game_key, pid, joined_seq FROM game_players WHERE ip IS NOT NULL AND game_key < $1 ORDER BY game_key LIMIT $2)`,
		},
	} {
		if e.age <= 0 {
			continue
		}
		before := oldestKey(now.Add(-e.age))
		if dry {
			*e.count, err = sqldb.One[int64](ctx, d.sql, "SELECT count(*) FROM "+e.from, before)
		} else {
			*e.count, err = d.inBatches(ctx, 0, nil, func(ctx context.Context, tx sqldb.Tx) (bool, int64, error) {
				n, err := tx.Exec(ctx, e.remove, before, e.batch)
				return n > 0, n, err
			})
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
