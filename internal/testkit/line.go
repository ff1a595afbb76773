package testkit

import (
	"sync"
	"time"
)

// Line is one direction of an emulated line. The zero value delays nothing.
type Line struct {
	Delay  time.Duration // from the queue to the receiver
	Rate   int64         // bytes per second; 0 is unlimited
	Buffer int           // bytes that may wait in the queue before senders block; 0 is defaultBuffer
}

// defaultBuffer is the queue of a home router: a quarter of a second at 1 MB/s.
const defaultBuffer = 256 << 10

// queue is the FIFO buffer of the router before a line, shared by all connections.
// The time of a byte is known when it enters, so that the state of the queue is
// only the time at which its last byte leaves.
type queue struct {
	line Line

	mu      sync.Mutex
	free    time.Duration // when the last byte leaves
	carried int64
	longest time.Duration // wait of a byte
}

func newQueue(line Line) *queue {
	if line.Buffer <= 0 {
		line.Buffer = defaultBuffer
	}
	return &queue{line: line}
}

// enter queues n bytes that came at now. A full buffer blocks their sender until
// enters; they reach the other end at arrives.
func (q *queue) enter(now time.Duration, n int) (enters, arrives time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.carried += int64(n)
	enters = max(now, q.room(n))
	start := max(enters, q.free)
	q.longest = max(q.longest, start-enters)
	q.free = start + q.takes(n)
	return enters, q.free + q.line.Delay
}

// full reports whether there is no room for n bytes.
func (q *queue) full(now time.Duration, n int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.room(n) > now
}

// room is when the waiting bytes and n others fit into the buffer.
func (q *queue) room(n int) time.Duration { return q.free - q.takes(max(q.line.Buffer-n, 0)) }

// stats are the bytes carried and the longest wait in the queue.
func (q *queue) stats() (carried int64, longest time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.carried, q.longest
}

// takes is how long the line needs to send n bytes.
func (q *queue) takes(n int) time.Duration {
	if q.line.Rate <= 0 {
		return 0
	}
	return time.Duration(int64(n) * int64(time.Second) / q.line.Rate)
}
