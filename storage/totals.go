package storage

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"w3host/rating"
	"w3host/storage/internal/sqldb"
)

// The totals (player_totals, map_totals and so on) are sums over finished games; games.counted marks the
// games included. A game is counted in the transaction that ends it. Before more is written about a counted
// game, it is subtracted, and then added again, by the same statements with opposite signs. So a replayed
// record counts once.
//
// most, first_game and last_game only ever widen; corrections do not shrink them.

// totalsSQL holds the statements that add the games in list $1 to the totals, multiplied by $2: 1 or -1. Rows
// are locked in key order to avoid deadlocks between hosts. Subtracting and adding passes over them twice,
// which may still deadlock; Postgres then aborts one transaction, and its batch is retried.
//
//go:embed totals.sql
var totalsSQL string

// mapTotalsSQL holds the statements, with the same arguments, for the sums that pages of maps show. Only public games
// count in them.
//
//go:embed maptotals.sql
var mapTotalsSQL string

// addTotals adds games to the totals, or subtracts them with sign -1.
func addTotals(ctx context.Context, tx sqldb.Tx, sign int, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := tx.OnPostgres(ctx, "SET LOCAL jit = off"); err != nil { // compiling these statements takes longer than running them
		return err
	}
	return errors.Join(addSums(ctx, tx, totalsSQL, sign, keys), addSums(ctx, tx, mapTotalsSQL, sign, keys))
}

// addSums runs statements like those of totalsSQL.
func addSums(ctx context.Context, tx sqldb.Tx, statements string, sign int, keys []string) error {
	for query := range strings.SplitSeq(statements, ";\n\n") {
		if _, err := tx.Exec(ctx, query, keys, sign); err != nil {
			return err
		}
	}
	return nil
}

// uncount subtracts the counted games among keys from the totals. It locks the rows of all games until the
// transaction ends, so that no other host counts them meanwhile.
func uncount(ctx context.Context, tx sqldb.Tx, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := tx.OnPostgres(ctx, "SELECT 1 FROM games WHERE key IN (SELECT value FROM json_each($1)) ORDER BY key FOR NO KEY UPDATE", keys); err != nil {
		return err
	}
	counted, err := sqldb.List[string](ctx, tx, "SELECT key FROM games WHERE counted AND key IN (SELECT value FROM json_each($1))", keys)
	if err == nil {
		err = addTotals(ctx, tx, -1, counted)
	}
	if err == nil {
		_, err = tx.Exec(ctx, "UPDATE games SET counted = false WHERE key IN (SELECT value FROM json_each($1))", counted)
	}
	return err
}

// count adds the finished games among keys that are not counted yet to the totals.
func count(ctx context.Context, tx sqldb.Tx, keys []string) error {
	ended, err := sqldb.List[string](ctx, tx, `UPDATE games SET counted = true, players = (SELECT count(*) FROM game_players p
			WHERE p.game_key = games.key AND p.slot IS NOT NULL AND NOT p.fake)
		WHERE key IN (SELECT value FROM json_each($1)) AND ended_at IS NOT NULL AND NOT counted RETURNING key`, keys)
	if err != nil {
		return err
	}
	if err := addTotals(ctx, tx, 1, ended); err != nil {
		return err
	}
	return setCategories(ctx, tx)
}

// setCategories sets the category of maps that are new in map_totals.
func setCategories(ctx context.Context, tx sqldb.Tx) error {
	all, err := sqldb.List[struct {
		SHA1    string `db:"map_sha1"`
		MapName string
	}](ctx, tx, "SELECT map_sha1, map_name FROM map_totals WHERE category IS NULL ORDER BY map_sha1")
	for _, m := range all {
		if _, err := tx.Exec(ctx, "UPDATE map_totals SET category = $1 WHERE map_sha1 = $2", rating.Category(m.MapName), m.SHA1); err != nil {
			return err
		}
	}
	return err
}

// fillMapTotals counts the games of a log that a program without these tables has written. It does nothing if some are
// counted already.
func (d *Store) fillMapTotals(ctx context.Context) error {
	const games = 2000 // at once, which bounds the memory
	missing, err := sqldb.One[bool](ctx, d.db, "SELECT NOT EXISTS (SELECT 1 FROM map_counts) AND EXISTS (SELECT 1 FROM games WHERE "+publicGame+" AND counted)")
	if err != nil || !missing {
		return err
	}
	return d.db.Tx(ctx, func(tx sqldb.Tx) error {
		if err := tx.OnPostgres(ctx, "LOCK TABLE map_counts IN EXCLUSIVE MODE"); err != nil {
			return err
		}
		for after := firstKey.String(); ; {
			keys, err := sqldb.List[string](ctx, tx, "SELECT key FROM games WHERE "+publicGame+" AND counted AND key > $1 ORDER BY key LIMIT $2", after, games)
			if err != nil || len(keys) == 0 {
				return errors.Join(err, setCategories(ctx, tx))
			}
			if err := addSums(ctx, tx, mapTotalsSQL, 1, keys); err != nil {
				return err
			}
			after = keys[len(keys)-1]
		}
	})
}
