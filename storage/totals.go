package storage

import (
	"context"
	_ "embed"
	"strings"

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

// addTotals adds games to the totals, or subtracts them with sign -1.
func addTotals(ctx context.Context, tx sqldb.Tx, sign int, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := tx.OnPostgres(ctx, "SET LOCAL jit = off"); err != nil { // compiling these statements takes longer than running them
		return err
	}
	for query := range strings.SplitSeq(totalsSQL, ";\n\n") {
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
	return addTotals(ctx, tx, 1, ended)
}
