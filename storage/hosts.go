package storage

import (
	"cmp"
	"context"
	"slices"
	"time"

	"w3host/storage/internal/sqldb"
)

// Host identifies one run of a host program.
type Host struct {
	ID      string // UUID stored beside the spool; unchanged over restarts
	Run     string // UUID of this run
	Name    string // name for people
	Version string // version of w3host

	// GoOn lists games of an earlier run that this run continues.
	GoOn []GameKey
}

// HostRun is the latest run of a host.
type HostRun struct {
	Run       string
	Heartbeat time.Time `db:"heartbeat_at"` // by the database's clock, like Now
	Now       time.Time
	Stopped   bool // the run ended regularly
}

// HostStatus is a registered host. Times are by the database's clock.
type HostStatus struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	Heartbeat time.Time `json:"heartbeat_at" db:"heartbeat_at"`
	StoppedAt time.Time `json:"stopped_at,omitzero"` // set if the host stopped regularly
}

// positionsKept is how long a run's position is kept after its host has started another run. It is needed to
// skip a spool file that could not be deleted.
const positionsKept = 30 * 24 * time.Hour

// Applied returns the number of the last stored record of a run, or 0.
func (d *Store) Applied(ctx context.Context, run string) (uint64, error) {
	return sqldb.One[uint64](ctx, d.sql, "SELECT coalesce(max(applied), 0) FROM spool_positions WHERE run = $1", run)
}

// LastRun returns the latest run of a host, or ErrNotFound for a new host.
func (d *Store) LastRun(ctx context.Context, id string) (HostRun, error) {
	return sqldb.One[HostRun](ctx, d.sql, "SELECT CAST(run AS text) AS run, heartbeat_at, now() AS now, stopped_at IS NOT NULL AS stopped FROM hosts WHERE id = $1", id)
}

// EnterHost registers a run and returns the number of crashed games. Games that earlier runs of the host left
// open are closed as EndCrashed at their last sign of life, so all their records must be stored before. Games
// in GoOn are assigned to this run instead.
func (d *Store) EnterHost(ctx context.Context, h Host) (crashed int, err error) {
	return inTx(ctx, d, func(tx sqldb.Tx) (int, error) { return enterHost(ctx, tx, h) })
}

func enterHost(ctx context.Context, tx sqldb.Tx, h Host) (crashed int, err error) {
	for _, k := range h.GoOn {
		if _, err := tx.Exec(ctx, "UPDATE games SET run = $2 WHERE key = $1", k, h.Run); err != nil {
			return 0, err
		}
	}
	if crashed, err = closeCrashed(ctx, tx, "g.host_id = $1 AND g.run <> $2", h.ID, h.Run); err != nil {
		return 0, err
	}
	old := NewGameKeyAt(time.Now().Add(-positionsKept)).String()
	if _, err := tx.Exec(ctx, "DELETE FROM spool_positions WHERE host_id = $1 AND run < $2", h.ID, old); err != nil {
		return 0, err
	}
	_, err = putHost(ctx, tx, h, excluded("run", "name", "version", "started_at", "heartbeat_at")+", stopped_at = NULL")
	return crashed, err
}

// putHost inserts the row of a host, or applies change to an existing one.
func putHost(ctx context.Context, q sqldb.Queryer, h Host, change string) (int64, error) {
	return q.Exec(ctx, `INSERT INTO hosts (id, run, name, version, started_at, heartbeat_at)
		VALUES ($1, $2, $3, $4, now(), now()) ON CONFLICT (id) DO UPDATE SET `+change,
		h.ID, h.Run, clean(h.Name), clean(h.Version))
}

// MoveHost assigns this run and its games to a new host id, because another host uses the old one. Games that
// were closed as crashed are reopened.
func (d *Store) MoveHost(ctx context.Context, from string, h Host) error {
	return d.tx(ctx, func(tx sqldb.Tx) error {
		open, err := sqldb.List[string](ctx, tx, "SELECT key FROM games WHERE host_id = $1 AND run = $2 AND ended = $3", // games to reopen
			from, h.Run, string(EndCrashed))
		if err == nil {
			err = uncount(ctx, tx, open)
		}
		if err != nil {
			return err
		}
		var w batchWriter
		w.put("UPDATE games SET ended = '', ended_at = NULL, turns = 0, played_ms = 0 WHERE host_id = $1 AND run = $2 AND ended = $3", from, h.Run, string(EndCrashed))
		w.put("UPDATE games SET host_id = $3 WHERE host_id = $1 AND run = $2", from, h.Run, h.ID)
		w.put("UPDATE spool_positions SET host_id = $3 WHERE host_id = $1 AND run = $2", from, h.Run, h.ID)
		if err := tx.Batch(ctx, w.statements, nil); err != nil {
			return err
		}
		_, err = enterHost(ctx, tx, h)
		return err
	})
}

// Beat records a heartbeat. It returns ErrConflict if another run of the host has started since.
func (d *Store) Beat(ctx context.Context, h Host) error {
	n, err := putHost(ctx, d.sql, h, "heartbeat_at = excluded.heartbeat_at WHERE hosts.run = excluded.run")
	return requireRows(n, err, ErrConflict, "host %s has begun another run", h.ID)
}

// LeaveHost records the regular end of the run.
func (d *Store) LeaveHost(ctx context.Context, h Host) error {
	_, err := d.sql.Exec(ctx, `UPDATE hosts SET heartbeat_at = now(), stopped_at = now() WHERE id = $1 AND run = $2`, h.ID, h.Run)
	return err
}

const hostColumns = "CAST(id AS text) AS id, name, version, started_at, heartbeat_at, stopped_at"

// OtherHosts returns the other hosts that have open games.
func (d *Store) OtherHosts(ctx context.Context, h Host) ([]HostStatus, error) {
	return sqldb.List[HostStatus](ctx, d.sql, "SELECT "+hostColumns+` FROM hosts h WHERE id <> $1
			AND EXISTS (SELECT 1 FROM games g WHERE g.host_id = h.id AND g.ended_at IS NULL) ORDER BY id`, h.ID)
}

// CloseGamesOf closes the open games of another host as EndCrashed, unless the host has sent a heartbeat
// since other was read. It returns their number.
func (d *Store) CloseGamesOf(ctx context.Context, other HostStatus) (crashed int, err error) {
	return inTx(ctx, d, func(tx sqldb.Tx) (int, error) {
		return closeCrashed(ctx, tx, "g.host_id = $1 AND h.heartbeat_at = $2", other.ID, other.Heartbeat)
	})
}

// Hosts returns all hosts, latest heartbeat first.
func (d *Store) Hosts(ctx context.Context) ([]HostStatus, error) {
	return sqldb.List[HostStatus](ctx, d.sql, "SELECT "+hostColumns+" FROM hosts ORDER BY heartbeat_at DESC")
}

// lastSignSQL selects the time and turn of the last record of a game.
const lastSignSQL = `SELECT max(turn) AS turn, max(at) AS at FROM (
	SELECT turn, at FROM chat WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM lags WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM drops WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM links WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM saves WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM desyncs WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM results WHERE game_key = $1 UNION ALL
	SELECT left_turn, left_at FROM game_players WHERE game_key = $1) signs`

// crashedGame is an open game of a dead host.
type crashedGame struct {
	Key       GameKey
	Since     time.Time // time of loading, otherwise start or creation
	Loaded    bool
	Latency   time.Duration
	Heartbeat time.Time `db:"heartbeat_at"` // last heartbeat of its host
}

// closeCrashed closes and counts the open games that satisfy a condition on games g. A game ends at its
// host's last heartbeat, or at its last record if that is later.
func closeCrashed(ctx context.Context, tx sqldb.Tx, condition string, args ...any) (int, error) {
	games, err := sqldb.List[crashedGame](ctx, tx, `SELECT g.key, coalesce(g.loaded_at, g.started_at, g.created_at) AS since, g.loaded_at IS NOT NULL AS loaded, g.latency_ms, h.heartbeat_at
		FROM games g LEFT JOIN hosts h ON h.id = g.host_id WHERE g.ended_at IS NULL AND `+condition, args...)
	if err != nil {
		return 0, err
	}
	keys := make([]string, len(games))
	for i, g := range games {
		keys[i] = g.Key.String()
		last, err := sqldb.One[struct {
			Turn int64
			At   time.Time
		}](ctx, tx, lastSignSQL, g.Key)
		if err != nil {
			return 0, err
		}
		ended := cmp.Or(slices.MaxFunc([]time.Time{last.At, g.Since, g.Heartbeat}, time.Time.Compare), g.Key.Time())
		played := last.Turn * g.Latency.Milliseconds()
		if g.Loaded {
			played = max(played, ended.Sub(g.Since).Milliseconds())
		}
		_, err = tx.Exec(ctx, "UPDATE games SET ended = $2, ended_at = $3, turns = $4, played_ms = $5 WHERE key = $1",
			g.Key, string(EndCrashed), ended, last.Turn, played)
		if err != nil {
			return 0, err
		}
	}
	return len(games), count(ctx, tx, keys)
}
