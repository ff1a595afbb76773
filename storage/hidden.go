package storage

import (
	"context"
	"fmt"
	"time"

	"w3host/storage/internal/sqldb"
)

// Hide keeps a player off the public site, on all realms. ErrConflict: the name is hidden already.
func (d *Store) Hide(ctx context.Context, name string) error {
	key := nameKey(name)
	if key == "" {
		return fmt.Errorf("%w: name a player", ErrRejected)
	}
	n, err := d.sql.Exec(ctx, "INSERT INTO hidden (name_key, hidden_at) VALUES ($1, $2) ON CONFLICT (name_key) DO NOTHING", key, time.Now())
	return requireRows(n, err, ErrConflict, "%s is hidden already", name)
}

// Unhide shows a player on the public site again. ErrNotFound: the name is not hidden.
func (d *Store) Unhide(ctx context.Context, name string) error {
	n, err := d.sql.Exec(ctx, "DELETE FROM hidden WHERE name_key = $1", nameKey(name))
	return requireRows(n, err, ErrNotFound, "%s is not hidden", name)
}

// Hidden lists the names that are hidden, in small letters.
func (d *Store) Hidden(ctx context.Context) ([]string, error) {
	return sqldb.List[string](ctx, d.sql, "SELECT name_key FROM hidden ORDER BY name_key")
}
