package simnet

import (
	"io"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// Event is a set of conditions reported by a connection.
type Event uint8

// Conditions; several may be reported at once.
const (
	Readable Event = 1 << iota // data has arrived, or the connection has ended
	Writable
)

// Conn is one end of a connection. TryRead and TryWrite never block; Read and Write block like those of any
// net.Conn.
type Conn struct {
	n             *Net
	peer          *Conn
	local, remote netip.AddrPort
	way           way // direction to the peer

	opening bool
	in      []byte // received data that was not read
	inEnd   error  // error or EOF after in
	read    uint64
	written uint64
	holders int  // number of file references: the process's own and copies
	file    int  // last assigned file number; 0 if none
	shut    bool // the sending side is closed
	linger  bool // Close resets the connection
	full    bool // a write was incomplete: report when there is space
	roomAt  bool // that report is scheduled
	gone    bool // severed: no end receives anything from the other

	came               func(Event)
	readable, writable chan struct{} // hold one token each
	readBy, writeBy    time.Time
}

func (n *Net) conn(local, remote netip.AddrPort) *Conn {
	return &Conn{
		n: n, local: local, remote: remote, holders: 1,
		readable: make(chan struct{}, 1), writable: make(chan struct{}, 1),
	}
}

// tell reports events to the listener and wakes blocked calls.
func (c *Conn) tell(e Event) {
	if c.came != nil {
		c.came(e)
	}
	if e&Readable != 0 {
		token(c.readable)
	}
	if e&Writable != 0 {
		token(c.writable)
	}
}

func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Notify registers a function to call with all further events, and calls it immediately with the current
// ones. It must not block or use the network. nil unregisters.
func (c *Conn) Notify(came func(Event)) {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	c.came = came
	if came == nil {
		return
	}
	e := Event(0)
	if len(c.in) > 0 || c.inEnd != nil {
		e = Readable
	}
	if !c.opening {
		e |= Writable
	}
	if e != 0 {
		came(e)
	}
}

// Handle registers a function to call on the network's goroutine when there are events. Nothing else happens
// in the network while it runs.
func (c *Conn) Handle(f func()) {
	queued := false
	c.Notify(func(Event) {
		if queued {
			return
		}
		queued = true
		c.n.todo = append(c.n.todo, func() { // Notify calls this function with the lock held
			c.n.mu.Lock()
			queued = false
			c.n.mu.Unlock()
			f()
		})
		token(c.n.kick)
	})
}

// Opening reports whether the connection is still being established.
func (c *Conn) Opening() bool {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	return c.opening
}

// room returns how many bytes can be written now.
func (c *Conn) room() int {
	now := c.n.now()
	room := window - c.way.flight - len(c.peer.in)
	if c.way.Rate > 0 {
		buffer := c.way.Buffer
		if buffer == 0 {
			buffer = defaultBuffer
		}
		room = min(room, buffer+unsent-c.way.waiting(now))
	}
	return max(room, 0)
}

// TryRead reads received data without blocking. more reports that further data or the end is available. It
// returns 0 and no error if nothing has arrived.
func (c *Conn) TryRead(p []byte) (n int, more bool, err error) {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	return c.tryRead(p)
}

func (c *Conn) tryRead(p []byte) (n int, more bool, err error) {
	if c.holders == 0 {
		return 0, false, net.ErrClosed
	}
	n = copy(p, c.in)
	if c.in = c.in[n:]; len(c.in) == 0 {
		c.in = nil
	}
	c.read += uint64(n)
	if n > 0 {
		c.peer.hasRoom()
	}
	if n == 0 && c.inEnd != nil {
		return 0, false, c.inEnd
	}
	return n, len(c.in) > 0 || n > 0 && c.inEnd != nil, nil
}

// hasRoom schedules a report to a sender with an incomplete write, for when there is space.
func (c *Conn) hasRoom() {
	if !c.full || c.roomAt {
		return
	}
	c.roomAt = true
	at := c.n.now() + c.peer.way.Delay
	if c.way.Rate > 0 { // when half of the queue has been sent
		at = max(at, c.way.free-time.Duration(int64(c.way.Buffer/2+unsent/2)*int64(time.Second)/c.way.Rate))
	}
	c.n.at(at, func() {
		c.roomAt = false
		if c.full && c.room() > 0 {
			c.full = false
			c.tell(Writable)
		} else if c.full && c.way.Rate > 0 {
			c.hasRoom()
		}
	})
}

// TryWrite writes as many bytes as there is space for.
func (c *Conn) TryWrite(p []byte) (int, error) {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	return c.tryWrite(p)
}

func (c *Conn) tryWrite(p []byte) (int, error) {
	switch {
	case c.holders == 0:
		return 0, net.ErrClosed
	case c.shut || c.inEnd != nil && c.inEnd != io.EOF:
		return 0, syscall.EPIPE
	case c.opening:
		c.full = true
		return 0, nil
	}
	n := min(len(p), c.room())
	if n < len(p) {
		c.full = true
		if c.way.Rate > 0 {
			c.hasRoom()
		}
	}
	if n == 0 {
		return 0, nil
	}
	c.written += uint64(n)
	c.n.figures.bytes += int64(n)
	c.way.flight += n
	for b := append([]byte(nil), p[:n]...); len(b) > 0; {
		size := len(b)
		if c.way.Delay > 0 { // without delay everything arrives at once
			size = min(size, segment)
		}
		if c.way.Split > 0 && c.n.random.Float64() < c.way.Split {
			size = 1 + c.n.random.IntN(size)
		}
		piece := b[:size:size]
		b = b[size:]
		c.way.carry(c.n, size, func() {
			if !c.gone { // severed data is retransmitted forever
				c.way.flight -= size
				c.arrived(piece)
			}
		})
	}
	if back := c.peer.way.Delay; back > 0 || c.way.last > c.n.now() {
		c.way.unacked = append(c.way.unacked, ack{c.way.last + back, n})
	}
	return n, nil
}

// arrived delivers bytes to the other end.
func (c *Conn) arrived(b []byte) {
	p := c.peer
	switch {
	case p.holders == 0:
		p.way.carry(p.n, 0, func() { c.fail(syscall.ECONNRESET) })
	case p.inEnd == nil:
		p.in = append(p.in, b...)
		p.tell(Readable)
	}
}

// fail ends a connection with an error.
func (c *Conn) fail(err error) {
	if c.gone || c.inEnd != nil && c.inEnd != io.EOF {
		return
	}
	c.opening = false
	c.inEnd = err
	c.tell(Readable | Writable)
}

// CloseWrite closes the sending side after all written data.
func (c *Conn) CloseWrite() error {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	c.finish()
	return nil
}

func (c *Conn) finish() {
	if c.shut {
		return
	}
	c.shut = true
	c.way.carry(c.n, 0, func() {
		if p := c.peer; !c.gone && p.inEnd == nil {
			p.inEnd = io.EOF
			p.tell(Readable)
		}
	})
}

// Close closes both directions, with a reset if there is unread data.
func (c *Conn) Close() error {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	c.close(c.linger)
	return nil
}

// Reset resets the connection, regardless of other references.
func (c *Conn) Reset() {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	c.reset()
}

func (c *Conn) reset() {
	c.holders = min(c.holders, 1)
	c.close(true)
}

func (c *Conn) close(reset bool) {
	if c.holders == 0 {
		return
	}
	if c.holders--; c.holders > 0 {
		return
	}
	c.came = nil
	token(c.readable)
	token(c.writable)
	if reset || len(c.in) > 0 {
		c.shut = true
		c.way.carry(c.n, 0, func() { c.peer.fail(syscall.ECONNRESET) })
	} else {
		c.finish()
	}
	if c.opening {
		c.opening = false
	}
}

// Figures returns the number of unacknowledged bytes, and the minimum and current round trip.
func (c *Conn) Figures() (unacked int, least, now time.Duration) {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	at := c.n.now()
	w := &c.way
	for len(w.unacked) > 0 && w.unacked[0].at <= at && !c.gone && w.until <= at {
		w.unacked = w.unacked[1:]
	}
	for _, a := range w.unacked {
		unacked += a.n
	}
	least = w.Delay + c.peer.way.Delay
	return unacked, least, least + max(w.free-at, 0)
}

// Counts returns the bytes that this end has read and written, and whether the connection is over.
func (c *Conn) Counts() (read, written uint64, over bool) {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	return c.read, c.written, c.inEnd != nil && c.inEnd != io.EOF || c.holders == 0
}

// Locked runs f while nothing arrives.
func (n *Net) Locked(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}
