package storage

import (
	"context"
	"time"

	"w3host/storage/internal/sqldb"
)

func (d *database) EnterHost(ctx context.Context, h Host) (crashed int, err error) {
	now := d.sql.Now()
	err = d.tx(ctx, func(tx sqldb.Tx) error {
		// A game ended, as far as anyone knows, when its host was last heard of.
		n, err := tx.Exec(ctx, `UPDATE games SET ended = $3, ended_at = coalesce(
				(SELECT h.heartbeat_at FROM hosts h WHERE h.id = $1 AND h.heartbeat_at > coalesce(games.loaded_at, games.started_at, games.created_at)),
				loaded_at, started_at, created_at, `+now+`)
			WHERE host_id = $1 AND run <> $2 AND ended_at IS NULL`, h.ID, h.Run, string(EndCrashed))
		if err != nil {
			return err
		}
		crashed = int(n)
		if _, err := tx.Exec(ctx, "DELETE FROM spool_positions WHERE host_id = $1 AND run <> $2", h.ID, h.Run); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO hosts (id, run, name, version, started_at, heartbeat_at)
			VALUES ($1, $2, $3, $4, `+now+`, `+now+`)
			ON CONFLICT (id) DO UPDATE SET run = excluded.run, name = excluded.name, version = excluded.version,
				started_at = excluded.started_at, heartbeat_at = excluded.heartbeat_at, stopped_at = NULL`,
			h.ID, h.Run, clean(h.Name), clean(h.Version))
		return err
	})
	return crashed, err
}

// Beat makes the row anew when somebody has deleted it.
func (d *database) Beat(ctx context.Context, h Host) error {
	now := d.sql.Now()
	_, err := d.exec(ctx, `INSERT INTO hosts (id, run, name, version, started_at, heartbeat_at)
		VALUES ($1, $2, $3, $4, `+now+`, `+now+`)
		ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`,
		h.ID, h.Run, clean(h.Name), clean(h.Version))
	return err
}

func (d *database) LeaveHost(ctx context.Context, h Host) error {
	_, err := d.exec(ctx, `UPDATE hosts SET heartbeat_at = `+d.sql.Now()+`, stopped_at = `+d.sql.Now()+` WHERE id = $1 AND run = $2`, h.ID, h.Run)
	return err
}

func (d *database) OtherHosts(ctx context.Context, h Host) ([]OtherHost, error) {
	return collect(ctx, d, `SELECT id, name, heartbeat_at, stopped_at IS NOT NULL FROM hosts h WHERE id <> $1
			AND EXISTS (SELECT 1 FROM games g WHERE g.host_id = h.id AND g.ended_at IS NULL) ORDER BY id`,
		[]any{h.ID}, func(scan sqldb.Scan, o *OtherHost) error {
			return scan(scanUUID(&o.ID), &o.Name, at(&o.Heartbeat), &o.Stopped)
		})
}

func (d *database) CloseGamesOf(ctx context.Context, other OtherHost) (int, error) {
	n, err := d.exec(ctx, `UPDATE games SET ended = $3, ended_at = $2
		WHERE host_id = $1 AND ended_at IS NULL AND EXISTS (SELECT 1 FROM hosts h WHERE h.id = $1 AND h.heartbeat_at = $2)`,
		other.ID, other.Heartbeat, string(EndCrashed))
	return int(n), err
}

func (d *database) Hosts(ctx context.Context) ([]HostStatus, error) {
	return collect(ctx, d, `SELECT id, name, version, started_at, heartbeat_at, stopped_at FROM hosts ORDER BY heartbeat_at DESC`,
		nil, func(scan sqldb.Scan, h *HostStatus) error {
			var stopped time.Time
			err := scan(scanUUID(&h.ID), &h.Name, &h.Version, at(&h.StartedAt), at(&h.Heartbeat), at(&stopped))
			if !stopped.IsZero() {
				h.StoppedAt = &stopped
			}
			return err
		})
}

// uuidText scans a UUID into a string.
type uuidText struct{ to *string }

func scanUUID(to *string) uuidText { return uuidText{to} }

func (u uuidText) Scan(src any) error {
	var k GameKey
	if err := k.Scan(src); err != nil {
		return err
	}
	*u.to = k.String()
	return nil
}
