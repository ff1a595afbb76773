package loop

import (
	"net/netip"
	"slices"
)

// Keeper records the bytes that a connection reads, so that another process can take the connection
// over. Its methods are called on the loop's goroutine.
type Keeper interface {
	// Reading is called before the socket is read.
	Reading()
	// Kept is called when the bytes read have been handled, except rest.
	Kept(rest []byte)
	// Dropped is called when the connection has been closed.
	Dropped()
}

// Stream holds the positions in the two byte streams of a connection.
type Stream struct {
	Taken uint64 // bytes of the client's that were handled
	Rest  []byte // read, not handled
	Queue []byte // not written
}

// Stream returns the positions of the streams. They are consistent only between two steps.
func (c *Conn) Stream() Stream {
	return Stream{Taken: c.taken, Rest: c.in.rest, Queue: slices.Concat(c.out.rest, c.out.packets)}
}

// Taken returns the number of bytes of the client that have been handled, including the current
// packet.
func (c *Conn) Taken() uint64 { return c.taken }

// Keep sets the Keeper; nil removes it. With a Keeper the connection ends with a reset, because
// other processes may have copies of its socket.
func (c *Conn) Keep(k Keeper) { c.keeper = k }

// resume creates the connection for a socket that another process had.
func (l *Loop) resume(s Socket, addr netip.AddrPort, at Stream, limit int) *Conn {
	c := &Conn{all: &l.conns, Socket: s, Addr: addr, state: Open, taken: at.Taken}
	c.in.rest, c.out.rest, c.out.limit = at.Rest, at.Queue, limit
	l.open++
	c.soon()
	return c
}

// Release closes this process's copy of the socket without ending the connection. The handler is not
// called.
func (c *Conn) Release() {
	if c.state != Closed {
		c.Socket.release()
		c.forget()
	}
}

// Pause stops reading from the client until Resume.
func (c *Conn) Pause() { c.in.paused = true }

// Resume ends Pause.
func (l *Loop) Resume(c *Conn) {
	c.in.paused = false
	l.readSoon(c)
}

// Handle handles bytes of the client that another process has read.
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
