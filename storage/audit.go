package storage

import (
	"cmp"
	"context"
	"time"

	"w3host/storage/internal/sqldb"
)

// AuditLog lists what was ordered and who logged in, the latest first; only lines before a
// time, if that is not zero. There may be a few lines above the limit, since those of one instant stay
// together; older is the time before which there are more, zero if there are none.
func (d *Store) AuditLog(ctx context.Context, before time.Time, limit int) (lines []AdminAction, older time.Time, err error) {
	before = cmp.Or(before, time.Now().Add(24*time.Hour)) // clocks of hosts differ
	lines, err = sqldb.List[AdminAction](ctx, d.sql, `SELECT `+selected(AdminAction{}, "")+` FROM audit
		WHERE at < $1 AND at >= (SELECT min(at) FROM (SELECT at FROM audit WHERE at < $1 ORDER BY at DESC LIMIT $2) AS latest)
		ORDER BY at DESC, run DESC, seq DESC`, before, limit)
	if err != nil || len(lines) < limit {
		return lines, older, err
	}
	last := lines[len(lines)-1].At
	more, err := sqldb.One[bool](ctx, d.sql, "SELECT EXISTS (SELECT 1 FROM audit WHERE at < $1)", last)
	if more {
		older = last
	}
	return lines, older, err
}
