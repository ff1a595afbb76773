package storage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"w3host/storage/internal/sqldb"
)

// RemarkKind is the kind of a moderator's remark.
type RemarkKind string

// Kinds of remarks.
const (
	Warning RemarkKind = "warning" // shown to the player
	Note    RemarkKind = "note"    // visible to moderators only
)

// Remark is a moderator's remark about a player.
type Remark struct {
	ID     int64      `json:"id"`
	Kind   RemarkKind `json:"kind"`
	Name   string     `json:"name"`
	Line   string     `json:"line"`
	By     string     `json:"made_by" db:"made_by"`
	At     time.Time  `json:"made_at" db:"made_at"`
	Lifted time.Time  `json:"lifted_at,omitzero" db:"lifted_at"` // zero while it is in force
}

// AddRemark adds a remark and returns the number of the player's warnings in force since the given time.
func (d *Store) AddRemark(ctx context.Context, r Remark, since time.Time) (standing int, err error) {
	key := nameKey(r.Name)
	if key == "" {
		return 0, fmt.Errorf("%w: a remark needs a name", ErrRejected)
	}
	return inTx(ctx, d, func(tx sqldb.Tx) (int, error) {
		_, err := tx.Exec(ctx, "INSERT INTO remarks (kind, name_key, name, line, made_by, made_at) VALUES ($1, $2, $3, $4, $5, $6)",
			string(r.Kind), key, clean(strings.TrimSpace(r.Name)), clean(r.Line), clean(r.By), r.At)
		if err != nil {
			return 0, err
		}
		return sqldb.One[int](ctx, tx, "SELECT count(*) FROM remarks WHERE name_key = $1 AND kind = 'warning' AND lifted_at IS NULL AND made_at >= $2", key, since)
	})
}

// Remarks returns the remarks about a player, latest first.
func (d *Store) Remarks(ctx context.Context, name string, limit int) ([]Remark, error) {
	return sqldb.List[Remark](ctx, d.sql, `SELECT id, kind, name, line, made_by, made_at, lifted_at FROM remarks WHERE name_key = $1
		ORDER BY made_at DESC, id DESC LIMIT $2`, nameKey(name), limit)
}

// LiftWarnings lifts the latest warning of a player, or all if all is set. It returns ErrNotFound if there is
// none.
func (d *Store) LiftWarnings(ctx context.Context, name, by string, all bool) error {
	n, err := d.sql.Exec(ctx, `UPDATE remarks SET lifted_at = $1, lifted_by = $2 WHERE name_key = $3 AND kind = 'warning' AND lifted_at IS NULL
		AND ($4 OR id = (SELECT id FROM remarks WHERE name_key = $3 AND kind = 'warning' AND lifted_at IS NULL ORDER BY made_at DESC, id DESC LIMIT 1))`,
		time.Now(), clean(by), nameKey(name), all)
	return requireRows(n, err, ErrNotFound, "no warning of %s stands", name)
}
