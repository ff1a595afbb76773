package storage

import (
	"context"
	"time"

	"w3host/storage/internal/sqldb"
)

// AuditLog lists what was ordered and who logged in, the latest first; only lines before a
// time, if that is not zero.
func (d *Store) AuditLog(ctx context.Context, before time.Time, limit int) ([]AdminAction, error) {
	if before.IsZero() {
		before = time.Now().Add(24 * time.Hour) // clocks of hosts differ
	}
	return sqldb.List[AdminAction](ctx, d.sql, `SELECT `+selected(AdminAction{}, "")+` FROM audit
		WHERE at < $1 AND at >= (SELECT min(at) FROM (SELECT at FROM audit WHERE at < $1 ORDER BY at DESC LIMIT $2) AS latest)
		ORDER BY at DESC, run DESC, seq DESC LIMIT $2`, before, limit)
}
