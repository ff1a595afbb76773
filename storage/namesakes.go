package storage

import (
	"context"

	"w3host/storage/internal/sqldb"
)

// Namesakes lists other names that have played from the addresses of a name,
// those with most games first.
func (d *Store) Namesakes(ctx context.Context, name string, limit int) ([]string, error) {
	return collect(ctx, d, `SELECT max(name) FROM game_players
		WHERE ip IN (SELECT ip FROM game_players WHERE name_key = $1 AND ip IS NOT NULL) AND name_key <> $1 AND ip IS NOT NULL
		GROUP BY name_key ORDER BY count(*) DESC, name_key LIMIT $2`, []any{fold(clean(name)), limit},
		func(scan sqldb.Scan, s *string) error { return scan(s) })
}
