package testkit

import (
	"sync"
	"time"
)

// Line is one direction of an emulated line. The zero value carries everything
// at once.
type Line struct {
	Delay  time.Duration // from the far end of the queue to the receiver
	Rate   int64         // bytes per second; 0 is no bound
	Buffer int           // bytes that may wait for the line before senders have to; 0 is DefaultBuffer
}

// DefaultBuffer is the queue of a home router, a quarter of a second at 1 MB/s:
// it is there to be overfilled.
const DefaultBuffer = 256 << 10

// queue is the router at the entrance of a line: all connections wait in it,
// first come, first served. Nothing in it moves by itself. Since a byte's time is
// known when it enters, the queue is only the time at which its last byte leaves.
type queue struct {
	line Line

	mu      sync.Mutex
	free    time.Duration // when the last byte taken leaves
	carried int64
	longest time.Duration // that a byte had to wait
}

func newQueue(line Line) *queue {
	if line.Buffer <= 0 {
		line.Buffer = DefaultBuffer
	}
	return &queue{line: line}
}

// enter takes n bytes that came at now. Up to enters their sender has to hold
// them, because the buffer is full; at arrives they are at the other end.
func (q *queue) enter(now time.Duration, n int) (enters, arrives time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.carried += int64(n)
	enters = now
	if q.line.Rate > 0 {
		// There is room once what waits and these bytes fit the buffer. To senders a
		// stall looks like a buffer that somebody else has filled.
		enters = max(now, q.free-q.takes(max(q.line.Buffer-n, 0)))
	}
	start := max(enters, q.free)
	q.longest = max(q.longest, start-enters)
	q.free = start + q.takes(n)
	return enters, q.free + q.line.Delay
}

// stall keeps the line from carrying anything for a while.
func (q *queue) stall(now, lasting time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free = max(q.free, now) + lasting
}

// stats are the bytes carried and the longest wait in the queue.
func (q *queue) stats() (carried int64, longest time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.carried, q.longest
}

// takes is how long n bytes are on their way onto the line.
func (q *queue) takes(n int) time.Duration {
	if q.line.Rate <= 0 {
		return 0
	}
	return time.Duration(int64(n) * int64(time.Second) / q.line.Rate)
}
