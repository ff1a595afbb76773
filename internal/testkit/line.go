package testkit

import (
	"sync"
	"time"
)

// Line is one direction of an emulated line. The zero value has no delay.
type Line struct {
	Delay  time.Duration // one-way delay after the queue
	Rate   int64         // bytes per second; 0 means unlimited
	Buffer int           // bytes that may queue before senders block; 0 means defaultBuffer
}

// defaultBuffer is the queue of a home router: a quarter of a second at 1 MB/s.
const defaultBuffer = 256 << 10

// queue is the FIFO buffer in front of a line, shared by all connections. The departure of a byte is known
// when it enters, so the only state is when the last byte leaves.
type queue struct {
	line Line

	mu   sync.Mutex
	free time.Duration // when the last byte leaves
}

func newQueue(line Line) *queue {
	if line.Buffer <= 0 {
		line.Buffer = defaultBuffer
	}
	return &queue{line: line}
}

// enter queues n bytes at time now. If the buffer is full, the sender is blocked until enters. The bytes
// reach the other end at arrives.
func (q *queue) enter(now time.Duration, n int) (enters, arrives time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	enters = max(now, q.room(n))
	q.free = max(enters, q.free) + q.takes(n)
	return enters, q.free + q.line.Delay
}

// full reports whether n bytes do not fit into the buffer.
func (q *queue) full(now time.Duration, n int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.room(n) > now
}

// room returns when n more bytes fit into the buffer.
func (q *queue) room(n int) time.Duration { return q.free - q.takes(max(q.line.Buffer-n, 0)) }

// takes returns how long the line needs to send n bytes.
func (q *queue) takes(n int) time.Duration {
	if q.line.Rate <= 0 {
		return 0
	}
	return time.Duration(int64(n) * int64(time.Second) / q.line.Rate)
}
