package storage

import "time"

// Host identifies one run of a host program.
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

// HostRun is the latest run of a host.
type HostRun struct {
	Run       string
	Heartbeat time.Time     // by the clock of the database
	Silent    time.Duration // since then
	Stopped   bool          // it stopped in an orderly way
}

// HostStatus is a host in the registry, with times by the clock of the database.
type HostStatus struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	Heartbeat time.Time `json:"heartbeat_at"`
	StoppedAt time.Time `json:"stopped_at,omitzero"` // in an orderly way
}
