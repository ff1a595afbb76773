package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// SetLanguage keeps the language that a player has chosen, by name.
func (d *Store) SetLanguage(ctx context.Context, name, language string) error {
	if nameKey(name) == "" {
		return fmt.Errorf("%w: a preference needs a name", ErrRejected)
	}
	_, err := d.sql.Exec(ctx, `INSERT INTO preferences (name_key, name, language, set_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (name_key) DO UPDATE SET `+excluded("name", "language", "set_at"),
		nameKey(name), clean(strings.TrimSpace(name)), language, time.Now())
	return err
}

// LanguageOf is empty for those who have chosen none.
func (d *Store) LanguageOf(ctx context.Context, name string) (string, error) {
	language, err := sqldb.One[string](ctx, d.sql, "SELECT language FROM preferences WHERE name_key = $1", nameKey(name))
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return language, err
}
