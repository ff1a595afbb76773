package storage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// MostIgnored is the maximum number of players that one may ignore.
const MostIgnored = 50

// Ignore records that a player of a realm ("" for the LAN) does not want to see another player's chat. It
// returns ErrConflict if the player already ignores MostIgnored others.
func (d *Store) Ignore(ctx context.Context, name, realm, other string) error {
	key, otherKey := nameKey(name), nameKey(other)
	if key == "" || otherKey == "" {
		return fmt.Errorf("%w: it takes two names", ErrRejected)
	}
	return d.tx(ctx, func(tx sqldb.Tx) error {
		n, err := sqldb.One[int](ctx, tx, "SELECT count(*) FROM ignored WHERE name_key = $1 AND realm = $2 AND other_key <> $3", key, nameKey(realm), otherKey)
		switch {
		case err != nil:
			return err
		case n >= MostIgnored:
			return fmt.Errorf("%s ignores %d players: %w", name, n, ErrConflict)
		}
		_, err = tx.Exec(ctx, `INSERT INTO ignored (name_key, realm, other_key, other, set_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (name_key, realm, other_key) DO NOTHING`, key, nameKey(realm), otherKey, clean(strings.TrimSpace(other)), time.Now())
		return err
	})
}

// Unignore reverses Ignore. It is not an error if the player was not ignored.
func (d *Store) Unignore(ctx context.Context, name, realm, other string) error {
	_, err := d.sql.Exec(ctx, "DELETE FROM ignored WHERE name_key = $1 AND realm = $2 AND other_key = $3", nameKey(name), nameKey(realm), nameKey(other))
	return err
}

// IgnoredBy returns the names that a player ignores.
func (d *Store) IgnoredBy(ctx context.Context, name, realm string) ([]string, error) {
	return sqldb.List[string](ctx, d.sql, "SELECT other FROM ignored WHERE name_key = $1 AND realm = $2 ORDER BY set_at, other_key", nameKey(name), nameKey(realm))
}
