package storage

import (
	"context"
	_ "embed"
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

// totalsSQL are the statements that add the games of the list $1 to the totals, $2
// times: 1 or -1. Rows are locked in the order of their keys, so that hosts that
// count at once do not wait for each other in a circle. Taking out and putting in
// goes over them twice and may do so: Postgres ends one of the two, and its batch is
// tried again.
//
//go:embed totals.sql
var totalsSQL string

// addTotals adds games to the totals, or takes them out with the sign -1.
func addTotals(ctx context.Context, tx sqldb.Tx, sign int, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := tx.OnPostgres(ctx, "SET LOCAL jit = off"); err != nil { // compiling these takes longer than running them
		return err
	}
	for query := range strings.SplitSeq(totalsSQL, ";\n\n") {
		if _, err := tx.Exec(ctx, query, keys, sign); err != nil {
			return err
		}
	}
	return nil
}

// uncount takes those games out of the totals that are in them, and holds the
// rows of all until the transaction ends: no other host may count them meanwhile.
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

// count puts those games into the totals that have ended and are not in.
func count(ctx context.Context, tx sqldb.Tx, keys []string) error {
	ended, err := sqldb.List[string](ctx, tx, `UPDATE games SET counted = true, players = (SELECT count(*) FROM game_players p
			WHERE p.game_key = games.key AND p.slot IS NOT NULL AND NOT p.fake)
		WHERE key IN (SELECT value FROM json_each($1)) AND ended_at IS NOT NULL AND NOT counted RETURNING key`, keys)
	if err != nil {
		return err
	}
	return addTotals(ctx, tx, 1, ended)
}
