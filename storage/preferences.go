package storage

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// SetLanguage keeps the language that a player has chosen, by name.
func (d *Store) SetLanguage(ctx context.Context, name, language string) error {
	if fold(clean(name)) == "" {
		return fmt.Errorf("%w: a preference needs a name", ErrRejected)
	}
	_, err := d.exec(ctx, `INSERT INTO preferences (name_key, name, language, set_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (name_key) DO UPDATE SET name = excluded.name, language = excluded.language, set_at = excluded.set_at`,
		fold(clean(name)), clean(strings.TrimSpace(name)), language, time.Now())
	return err
}

// LanguageOf is empty for those who have chosen none.
func (d *Store) LanguageOf(ctx context.Context, name string) (string, error) {
	all, err := list[string](ctx, d, "SELECT language FROM preferences WHERE name_key = $1", fold(clean(name)))
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[0], nil
}
