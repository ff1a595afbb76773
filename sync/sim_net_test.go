package gamesync

import (
	"time"

	"w3host/w3gs"
)

// window is a time in which something stands still.
type window struct{ from, to time.Duration }

func overlaps(ws []window, from, to time.Duration) bool {
	for _, w := range ws {
		if w.from <= to && from <= w.to {
			return true
		}
	}
	return false
}

// simLink is one direction of a connection: late, uneven, but in order.
type simLink struct {
	delay, spread time.Duration
	stalls        []window
	last          time.Duration
}

func (l *simLink) arrival(s *sim) time.Duration {
	at := max(l.last, s.now+l.delay+s.upTo(l.spread))
	for _, w := range l.stalls {
		if at >= w.from && at < w.to {
			at = w.to
		}
	}
	l.last = at
	return at
}

type simEvent struct {
	at time.Duration
	n  uint64
	do func()
}

type simQueue []simEvent

func (q simQueue) Len() int { return len(q) }
func (q simQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].n < q[j].n
}
func (q simQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *simQueue) Push(x any)   { *q = append(*q, x.(simEvent)) }
func (q *simQueue) Pop() any {
	old := *q
	e := old[len(old)-1]
	old[len(old)-1].do = nil
	*q = old[:len(old)-1]
	return e
}

// toClient sends a copy of the bytes.
func (s *sim) toClient(pid uint8, frame []byte) {
	c := s.byPID[pid]
	if c == nil || c.closed {
		s.fail("bytes for pid %d, who is not there", pid)
	}
	s.acceptable(c, frame)
	at := c.down.arrival(s)
	for _, w := range c.frozen {
		if at >= w.from && at < w.to {
			at = w.to
			c.down.last = at
		}
	}
	if at < c.cutAt {
		s.at(at, func() { c.receive(frame) })
	}
}

// acceptable checks what no receiver may be sent, even one who has gone.
func (s *sim) acceptable(c *simClient, frame []byte) {
	if !s.cfg.LoadInGame && !s.started && frame[1] != byte(w3gs.OpGameLoaded) {
		s.fail("pid %d is sent 0x%02x while others load", c.pid, frame[1])
	}
}
