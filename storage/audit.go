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
	w.add(Entry{Seq: 1, Record: a})
	return d.tx(ctx, func(tx sqldb.Tx) error { return tx.Batch(ctx, nil, w.rows) })
}

const auditColumns = "game_key, at, who, realm, via, action, target, detail, refused"

// AuditLines lists lines, the latest first.
func (d *Store) AuditLines(ctx context.Context, limit int) ([]AdminAction, error) {
	return list[AdminAction](ctx, d, "SELECT "+auditColumns+" FROM audit ORDER BY at DESC, seq DESC LIMIT $1", limit)
}
