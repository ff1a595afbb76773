package loop

import (
	"net/netip"
	"slices"
)

// Keeper notes the bytes that a connection reads, so that another process can go on with it. It
// is called on the loop's goroutine.
type Keeper interface {
	// Reading comes before the socket is read.
	Reading()
	// Kept comes when the bytes that were read have been handled, except rest.
	Kept(rest []byte)
	// Dropped comes when the connection has been closed.
	Dropped()
}

// Stream is where the streams of a connection are.
type Stream struct {
	Taken uint64 // bytes of the client's that were handled
	Rest  []byte // read, not handled
	Queue []byte // not written
}

// Stream is where the streams are between two steps.
func (c *Conn) Stream() Stream {
	return Stream{Taken: c.taken, Rest: c.in.rest, Queue: slices.Concat(c.out.rest, c.out.packets)}
}

// Taken is how many bytes of the client's stream were handled, those of the packet at hand
// included.
func (c *Conn) Taken() uint64 { return c.taken }

// Keep has a keeper told from now on; nil: nobody. The end of the connection is a reset
// even if others have copies of its socket.
func (c *Conn) Keep(k Keeper) { c.keeper = k }

// resume makes a connection of one that another process had.
func (l *Loop) resume(s Socket, addr netip.AddrPort, at Stream, limit int) *Conn {
	c := &Conn{all: &l.conns, Socket: s, Addr: addr, state: Open, taken: at.Taken}
	c.in.rest, c.out.rest, c.out.limit = at.Rest, at.Queue, limit
	l.open++
	c.soon()
	return c
}

// Leave lets another process, which has a copy, go on with the connection. Its handler is
// not told.
func (c *Conn) Leave() {
	if c.state != Closed {
		c.Socket.leave()
		c.forget()
	}
}

// Pause has nothing read of the client until Resume.
func (c *Conn) Pause() { c.in.paused = true }

// Resume ends Pause.
func (l *Loop) Resume(c *Conn) {
	c.in.paused = false
	l.readSoon(c)
}

// Handle takes bytes of the client that another process has read.
func (l *Loop) Handle(c *Conn, data []byte) {
	if c.state == Closed {
		return
	}
	if l.received(c, data); c.in.behind {
		l.readSoon(c)
	}
	if c.keeper != nil && c.state < Closing {
		c.keeper.Kept(c.in.rest)
	}
}
