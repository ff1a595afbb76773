package simnet

import (
	"time"
)

// way is the state of one direction.
type way struct {
	Line
	free    time.Duration // when the line has sent everything queued
	last    time.Duration // when the last bytes arrive
	until   time.Duration // nothing arrives before this time
	flight  int           // bytes that have not arrived
	unacked []ack
}

type ack struct {
	at time.Duration
	n  int
}

// carry schedules the arrival of bytes after everything sent before, and then calls do.
func (w *way) carry(n *Net, bytes int, do func()) {
	now := n.now()
	if w.Rate > 0 {
		w.free = max(w.free, now) + time.Duration(int64(bytes)*int64(time.Second)/w.Rate)
	}
	at := max(now, w.free) + w.Delay
	if w.Jitter > 0 {
		at += time.Duration(n.random.Int64N(int64(w.Jitter)))
	}
	if w.Loss > 0 && n.random.Float64() < w.Loss {
		at += max(again, 2*w.Delay)
	}
	w.last = max(w.last, at, w.until)
	if w.last <= now {
		do()
		return
	}
	n.seq++
	w.arrive(n, w.last, n.seq, do)
}

// arrive schedules do at a time, but not while the direction is held.
func (w *way) arrive(n *Net, at time.Duration, seq uint64, do func()) {
	n.push(event{at, seq, func() {
		if w.until > n.now() {
			w.last = max(w.last, w.until)
			w.arrive(n, w.until, seq, do)
			return
		}
		do()
	}})
}

// waiting returns the number of bytes queued in front of the line.
func (w *way) waiting(now time.Duration) int {
	if w.Rate <= 0 || w.free <= now {
		return 0
	}
	return int(int64(w.free-now) * w.Rate / int64(time.Second))
}
