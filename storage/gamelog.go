package storage

import (
	"context"
	"time"
)

// Host is one life of one host program.
type Host struct {
	ID      string // a UUID, kept beside the spool: the same over restarts
	Run     string // a UUID, new at every start
	Name    string // for people
	Version string // of w3host
}

// Entry is a record with its place in the run that wrote it.
type Entry struct {
	Seq    uint64
	Record Record
}

// Batch is a row of records of one run, in order.
type Batch struct {
	HostID  string
	Run     string
	Entries []Entry
}

// GameLog writes batches of records.
type GameLog interface {
	// Apply writes a batch and the number of its last entry in one
	// transaction. Entries up to the number already there are skipped, so
	// that a batch may be applied again after an error of unknown outcome.
	// ErrRejected says that the database refuses a record for what is in it;
	// after any other error the same batch is worth another try.
	Apply(ctx context.Context, b Batch) error
	// Applied is the number of the last entry of a run that is in, 0 for none.
	Applied(ctx context.Context, run string) (uint64, error)
}

// HostRegistry knows which hosts share the database.
type HostRegistry interface {
	// LastLife tells of the life that a host has begun last; ErrNotFound for
	// a host that is new.
	LastLife(ctx context.Context, id string) (HostLife, error)
	// EnterHost begins a life. Games that earlier lives of the host left open
	// are closed as EndCrashed, at their last sign of life: so their records
	// have to be in by then.
	EnterHost(ctx context.Context, h Host) (crashed int, err error)
	// MoveHost gives this life, with its games, to a host that has the name of
	// another one. Games that somebody took for crashed go on.
	MoveHost(ctx context.Context, from string, h Host) error
	// Beat says that the host is alive; ErrConflict when another life has
	// begun since.
	Beat(ctx context.Context, h Host) error
	// LeaveHost ends a life in good order.
	LeaveHost(ctx context.Context, h Host) error
	// OtherHosts tells of the other hosts that have open games.
	OtherHosts(ctx context.Context, h Host) ([]OtherHost, error)
	// CloseGamesOf closes, as EndCrashed, the open games of another host,
	// unless it has sent a sign of life since it was looked at.
	CloseGamesOf(ctx context.Context, other OtherHost) (crashed int, err error)
	// Hosts lists all hosts, the latest sign of life first.
	Hosts(ctx context.Context) ([]HostStatus, error)
}

// HostLife is the latest life of a host.
type HostLife struct {
	Run       string
	Heartbeat time.Time     // by the clock of the database
	Silent    time.Duration // since then
	Stopped   bool          // it left in good order
}

// OtherHost is a host as another one sees it.
type OtherHost struct {
	ID        string
	Name      string
	Heartbeat time.Time // by the clock of the database
	Stopped   bool      // it left in good order
}

// HostStatus is a host in the registry.
type HostStatus struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Version   string     `json:"version"`
	StartedAt time.Time  `json:"started_at"`
	Heartbeat time.Time  `json:"heartbeat_at"`
	StoppedAt *time.Time `json:"stopped_at,omitempty"`
}
