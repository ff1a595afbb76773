// Package threads counts how often the threads of a process are run by the scheduler. A program that
// sleeps most of the time costs as much as it has wake-ups, and unlike processor time their number
// hardly depends on what else the machine does.
package threads

import "sync"

// Usage is the sum over all threads of a process since the Counter was first asked; before that,
// since their start.
type Usage struct {
	Slices uint64 // of time on a processor: one for each wake-up and for each return after an interruption
	Sleeps uint64 // voluntary context switches
}

// Counter adds up the usage of the threads of one process. Threads that end keep what they had when
// the Counter was asked last. It may be used by several goroutines.
type Counter struct {
	PID int

	mu    sync.Mutex
	seen  map[string]Usage // by the number of the thread
	total Usage
}

// Count returns the usage so far; false where the system does not tell.
func (c *Counter) Count() (Usage, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := read(c.PID)
	for thread, u := range now {
		before := c.seen[thread]
		if u.Slices < before.Slices { // the number was given to another thread
			before = Usage{}
		}
		c.total.Slices += u.Slices - before.Slices
		c.total.Sleeps += u.Sleeps - min(before.Sleeps, u.Sleeps)
	}
	c.seen = now
	return c.total, len(now) > 0
}
