// Package threads counts how often the scheduler runs the threads of a process. An idle program costs as much
// as it has wake-ups, and unlike CPU time, their number hardly depends on the load of the machine. Package
// bench and the metrics use it.
package threads

import "sync"

// Usage is the sum over all threads of a process since the first Count; for that one, since the threads
// started.
type Usage struct {
	Slices uint64 // time slices on a CPU: one for each wake-up and for each return after preemption
	Sleeps uint64 // voluntary context switches
}

// Counter sums the usage of the threads of one process. Threads that end contribute what they had at the last
// Count. It is safe for concurrent use.
type Counter struct {
	PID int

	mu    sync.Mutex
	seen  map[string]Usage // by thread ID
	total Usage
}

// Count returns the usage so far, or false if the system does not report it.
func (c *Counter) Count() (Usage, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := read(c.PID)
	for thread, u := range now {
		before := c.seen[thread]
		if u.Slices < before.Slices { // the ID was reused by another thread
			before = Usage{}
		}
		c.total.Slices += u.Slices - before.Slices
		c.total.Sleeps += u.Sleeps - min(before.Sleeps, u.Sleeps)
	}
	c.seen = now
	return c.total, len(now) > 0
}
