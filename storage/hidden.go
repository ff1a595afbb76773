package storage

import (
	"context"
	"fmt"
	"time"

	"w3host/storage/internal/sqldb"
)

// Hide removes a player, on all realms, from the public site. It returns ErrConflict if the name is already hidden.
func (d *Store) Hide(ctx context.Context, name string) error {
	key := nameKey(name)
	if key == "" {
		return fmt.Errorf("%w: name a player", ErrRejected)
	}
	n, err := d.sql.Exec(ctx, "INSERT INTO hidden (name_key, hidden_at) VALUES ($1, $2) ON CONFLICT (name_key) DO NOTHING", key, time.Now())
	return requireRows(n, err, ErrConflict, "%s is hidden already", name)
}

// Unhide shows a player on the public site again. It returns ErrNotFound if the name is not hidden.
func (d *Store) Unhide(ctx context.Context, name string) error {
	n, err := d.sql.Exec(ctx, "DELETE FROM hidden WHERE name_key = $1", nameKey(name))
	return requireRows(n, err, ErrNotFound, "%s is not hidden", name)
}

// Hidden returns the hidden names in lower case, in alphabetical order.
func (d *Store) Hidden(ctx context.Context) ([]string, error) {
	return sqldb.List[string](ctx, d.sql, "SELECT name_key FROM hidden ORDER BY name_key")
}
