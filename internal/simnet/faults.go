package simnet

import (
	"time"
)

// Hold delays all arrivals in both directions for the given time, like a line that is interrupted and
// repaired in time.
func (c *Conn) Hold(lasting time.Duration) {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	for _, w := range []*way{&c.way, &c.peer.way} {
		w.until = max(w.until, c.n.now()+lasting)
	}
}

// Sever makes both ends half open: neither receives anything from the other any more, not even its end.
func (c *Conn) Sever() {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	c.gone, c.peer.gone = true, true
}
