package storage

import (
	"context"
	"time"

	"w3host/storage/internal/sqldb"
)

// Audit writes a line at once, for those who have no Recorder.
func (d *Store) Audit(ctx context.Context, a AdminAction) error {
	if a.At.IsZero() {
		a.At = time.Now()
	}
	w := batchWriter{run: NewGameKeyAt(a.At).String()}
	a.write(&w, 1)
	return d.tx(ctx, func(tx sqldb.Tx) error { return tx.Batch(ctx, nil, w.rows) })
}

// AuditLines lists lines, the latest first.
func (d *Store) AuditLines(ctx context.Context, limit int) ([]AdminAction, error) {
	return sqldb.List[AdminAction](ctx, d.sql, selectRecords(auditTable)+" ORDER BY at DESC, seq DESC LIMIT $1", limit)
}
