package storage

import (
	"cmp"
	"context"
	"time"

	"w3host/storage/internal/sqldb"
)

// AuditLog returns audit lines, latest first, before the given time if that is not zero. It may return a few
// more than limit, because lines with the same time stay together. older is the time to pass as before for
// the next page; it is zero if there are no more lines.
func (d *Store) AuditLog(ctx context.Context, before time.Time, limit int) (lines []AdminAction, older time.Time, err error) {
	before = cmp.Or(before, time.Now().Add(24*time.Hour)) // allow for clocks of hosts that are ahead
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
