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
	ID      string // a UUID, kept beside the spool: the same over restarts
	Run     string // a UUID, new at every start
	Name    string // for people
	Version string // of w3host

	// GoOn are games of an earlier run that this one goes on with.
	GoOn []GameKey
}

// HostRun is the latest run of a host.
type HostRun struct {
	Run       string
	Heartbeat time.Time `db:"heartbeat_at"` // by the clock of the database, as Now
	Now       time.Time
	Stopped   bool // it stopped in an orderly way
}

// HostStatus is a host in the registry, with times by the clock of the database.
type HostStatus struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	Heartbeat time.Time `json:"heartbeat_at" db:"heartbeat_at"`
	StoppedAt time.Time `json:"stopped_at,omitzero"` // in an orderly way
}

// positionsKept is how long the position of a run is remembered after its host
// has begun another: a file of the spool that could not be deleted is skipped
// by it.
const positionsKept = 30 * 24 * time.Hour

// Applied is the number of the last entry of a run that is in, 0 for none.
func (d *Store) Applied(ctx context.Context, run string) (uint64, error) {
	return sqldb.One[uint64](ctx, d.sql, "SELECT coalesce(max(applied), 0) FROM spool_positions WHERE run = $1", run)
}

// LastRun returns the run that a host began last; ErrNotFound for
// a host that is new.
func (d *Store) LastRun(ctx context.Context, id string) (HostRun, error) {
	return sqldb.One[HostRun](ctx, d.sql, "SELECT CAST(run AS text) AS run, heartbeat_at, now() AS now, stopped_at IS NOT NULL AS stopped FROM hosts WHERE id = $1", id)
}

// EnterHost registers a run. Games that earlier runs of the host left open are closed as
// EndCrashed, at their last heartbeat, so their records have to be stored
// before. Those of GoOn become games of this run.
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

// putHost makes the row of a host, or changes the one that is there.
func putHost(ctx context.Context, q sqldb.Queryer, h Host, change string) (int64, error) {
	return q.Exec(ctx, `INSERT INTO hosts (id, run, name, version, started_at, heartbeat_at)
		VALUES ($1, $2, $3, $4, now(), now()) ON CONFLICT (id) DO UPDATE SET `+change,
		h.ID, h.Run, clean(h.Name), clean(h.Version))
}

// MoveHost gives this run, with its games, to a host that has the name of
// another one. Games that were taken for crashed go on.
func (d *Store) MoveHost(ctx context.Context, from string, h Host) error {
	return d.tx(ctx, func(tx sqldb.Tx) error {
		open, err := sqldb.List[string](ctx, tx, "SELECT key FROM games WHERE host_id = $1 AND run = $2 AND ended = $3", // again
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

// Beat says that the host is alive; ErrConflict when another run has
// begun since.
func (d *Store) Beat(ctx context.Context, h Host) error {
	n, err := putHost(ctx, d.sql, h, "heartbeat_at = excluded.heartbeat_at WHERE hosts.run = excluded.run")
	return some(n, err, ErrConflict, "host %s has begun another run", h.ID)
}

// LeaveHost records an orderly end of the run.
func (d *Store) LeaveHost(ctx context.Context, h Host) error {
	_, err := d.sql.Exec(ctx, `UPDATE hosts SET heartbeat_at = now(), stopped_at = now() WHERE id = $1 AND run = $2`, h.ID, h.Run)
	return err
}

const hostColumns = "CAST(id AS text) AS id, name, version, started_at, heartbeat_at, stopped_at"

// OtherHosts lists the other hosts that have open games.
func (d *Store) OtherHosts(ctx context.Context, h Host) ([]HostStatus, error) {
	return sqldb.List[HostStatus](ctx, d.sql, "SELECT "+hostColumns+` FROM hosts h WHERE id <> $1
			AND EXISTS (SELECT 1 FROM games g WHERE g.host_id = h.id AND g.ended_at IS NULL) ORDER BY id`, h.ID)
}

// CloseGamesOf closes, as EndCrashed, the open games of another host,
// unless it has sent a heartbeat since it was looked at.
func (d *Store) CloseGamesOf(ctx context.Context, other HostStatus) (crashed int, err error) {
	return inTx(ctx, d, func(tx sqldb.Tx) (int, error) {
		return closeCrashed(ctx, tx, "g.host_id = $1 AND h.heartbeat_at = $2", other.ID, other.Heartbeat)
	})
}

// Hosts lists all hosts, the latest heartbeat first.
func (d *Store) Hosts(ctx context.Context) ([]HostStatus, error) {
	return sqldb.List[HostStatus](ctx, d.sql, "SELECT "+hostColumns+" FROM hosts ORDER BY heartbeat_at DESC")
}

// lastSignSQL finds the time and the turn of the last record of a game.
const lastSignSQL = `SELECT max(turn) AS turn, max(at) AS at FROM (
	SELECT turn, at FROM chat WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM lags WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM drops WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM links WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM saves WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM desyncs WHERE game_key = $1 UNION ALL
	SELECT turn, at FROM results WHERE game_key = $1 UNION ALL
	SELECT left_turn, left_at FROM game_players WHERE game_key = $1) signs`

// crashedGame is an open game of a host that is dead.
type crashedGame struct {
	Key       GameKey
	Since     time.Time // loaded, else started, else created
	Loaded    bool
	Latency   time.Duration
	Heartbeat time.Time `db:"heartbeat_at"` // of the host, the last one
}

// closeCrashed closes and counts the open games that a condition on games g chooses.
// The end of a game is the last heartbeat of its host, or the last record of the game
// if that is later.
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
