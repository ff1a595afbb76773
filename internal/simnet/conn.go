package simnet

import (
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"
)

// Event is what a connection has to tell.
type Event uint8

// The events; several may come at once.
const (
	Readable Event = 1 << iota // bytes, or the end
	Writable
)

// Conn is one end of a connection. TryRead and TryWrite never wait; Read and Write do, as those of
// any net.Conn.
type Conn struct {
	n             *Net
	peer          *Conn
	local, remote netip.AddrPort
	way           way // to the peer

	opening bool
	in      []byte // has come
	inEnd   error  // has come behind in
	read    uint64
	written uint64
	holders int  // files: the process's own, and copies
	file    int  // the last number that was given; 0: none
	shut    bool // the sending side
	linger  bool // Close is a reset
	full    bool // nothing more was taken: tell when there is room
	roomAt  bool // an event for that is on its way
	gone    bool // neither hears anything of the other any more

	came               func(Event)
	readable, writable chan struct{} // hold one token
	readBy, writeBy    time.Time
}

// way is the state of one direction.
type way struct {
	Line
	free    time.Duration // when the line has sent all
	last    time.Duration // when the last bytes arrive
	until   time.Duration // nothing arrives before
	flight  int           // bytes that have not arrived
	unacked []ack
}

type ack struct {
	at time.Duration
	n  int
}

func (n *Net) conn(local, remote netip.AddrPort) *Conn {
	return &Conn{
		n: n, local: local, remote: remote, holders: 1,
		readable: make(chan struct{}, 1), writable: make(chan struct{}, 1),
	}
}

// carry has something arrive behind everything else on the way.
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

// arrive has something happen at a time, but not while nothing arrives.
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

// waiting is how many bytes wait before the line.
func (w *way) waiting(now time.Duration) int {
	if w.Rate <= 0 || w.free <= now {
		return 0
	}
	return int(int64(w.free-now) * w.Rate / int64(time.Second))
}

// tell reports events.
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

// Notify has a function called with all events from now on, and at once with those of now. It must
// not wait, nor use the network; nil ends that.
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

// Handle has a function called on the goroutine of the network, where nothing else happens meanwhile, when
// there is news.
func (c *Conn) Handle(f func()) {
	queued := false
	c.Notify(func(Event) {
		if queued {
			return
		}
		queued = true
		c.n.todo = append(c.n.todo, func() { // with the lock held
			c.n.mu.Lock()
			queued = false
			c.n.mu.Unlock()
			f()
		})
		token(c.n.kick)
	})
}

// Opening reports whether the connection does not stand yet.
func (c *Conn) Opening() bool {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	return c.opening
}

// room is how much is taken now.
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

// TryRead takes bytes that have come; more: there may be more, or the end. 0 and no error: nothing
// has come.
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

// hasRoom tells a sender that was full when there is room again.
func (c *Conn) hasRoom() {
	if !c.full || c.roomAt {
		return
	}
	c.roomAt = true
	at := c.n.now() + c.peer.way.Delay
	if c.way.Rate > 0 { // when half of what waits is gone
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

// TryWrite takes as many bytes as there is room for.
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
		if c.way.Delay > 0 { // else all of it is there at once
			size = min(size, segment)
		}
		if c.way.Split > 0 && c.n.random.Float64() < c.way.Split {
			size = 1 + c.n.random.IntN(size)
		}
		piece := b[:size:size]
		b = b[size:]
		c.way.carry(c.n, size, func() {
			if !c.gone { // else they are sent again and again
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

// arrived is that bytes have come to the other end.
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

// fail ends a connection.
func (c *Conn) fail(err error) {
	if c.gone || c.inEnd != nil && c.inEnd != io.EOF {
		return
	}
	c.opening = false
	c.inEnd = err
	c.tell(Readable | Writable)
}

// CloseWrite ends the sending side, behind all that was written.
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

// Close ends both sides, with a reset if anything has come that was not read.
func (c *Conn) Close() error {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	c.close(c.linger)
	return nil
}

// Reset ends the connection, whoever else has a copy.
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

// Hold is that nothing arrives for a while in either direction, and all of it then: a line that is
// cut and mended in time.
func (c *Conn) Hold(lasting time.Duration) {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	for _, w := range []*way{&c.way, &c.peer.way} {
		w.until = max(w.until, c.n.now()+lasting)
	}
}

// Sever is that neither end hears anything of the other any more, not even of its end: both are half
// open.
func (c *Conn) Sever() {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	c.gone, c.peer.gone = true, true
}

// Figures are the bytes that the other side has not acknowledged, and the least and the present time
// for the way there and back.
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

// Counts are the bytes that this end has read and written.
func (c *Conn) Counts() (read, written uint64, over bool) {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	return c.read, c.written, c.inEnd != nil && c.inEnd != io.EOF || c.holders == 0
}

// Copy makes another holder of the connection, which Close ends; all of them see one stream. Processes
// pass connections on by numbers, see Net.File.
func (c *Conn) Copy() {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	c.holders++
}

// File is the number of the connection.
func (c *Conn) File() int {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	if c.file == 0 {
		c.n.lastFile++
		c.file = c.n.lastFile
		c.n.files[c.file] = c
	}
	return c.file
}

// File finds a connection by its number.
func (n *Net) File(number int) *Conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.files[number]
}

// Locked runs f while nothing arrives.
func (n *Net) Locked(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}

// Read waits for bytes.
func (c *Conn) Read(p []byte) (int, error) {
	for {
		if c.late(&c.readBy) {
			return 0, c.wrap("read", os.ErrDeadlineExceeded)
		}
		n, _, err := c.TryRead(p)
		if n > 0 || err != nil || len(p) == 0 {
			return n, c.wrap("read", err)
		}
		if err := c.wait(c.readable, func() time.Time { return c.readBy }); err != nil {
			return 0, c.wrap("read", err)
		}
	}
}

// Write waits for room.
func (c *Conn) Write(p []byte) (done int, err error) {
	for {
		if c.late(&c.writeBy) {
			return done, c.wrap("write", os.ErrDeadlineExceeded)
		}
		n, err := c.TryWrite(p[done:])
		if done += n; done == len(p) || err != nil {
			return done, c.wrap("write", err)
		}
		if err := c.wait(c.writable, func() time.Time { return c.writeBy }); err != nil {
			return done, c.wrap("write", err)
		}
	}
}

// late reports whether a deadline is over. Read and Write then do nothing, also where they could go on, as those of
// package net.
func (c *Conn) late(by *time.Time) bool {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	return c.holders > 0 && !by.IsZero() && !time.Now().Before(*by)
}

// wrap makes of an error one of package net.
func (c *Conn) wrap(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: err}
}

func (c *Conn) wait(news chan struct{}, by func() time.Time) error {
	c.n.mu.Lock()
	at := by()
	c.n.mu.Unlock()
	if at.IsZero() {
		<-news
		return nil
	}
	left := time.Until(at)
	if left <= 0 {
		return os.ErrDeadlineExceeded
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-news:
	case <-timer.C:
	}
	return nil
}

// SetDeadline sets both.
func (c *Conn) SetDeadline(t time.Time) error { return c.deadline(&t, &t) }

// SetReadDeadline is when Read gives up; one that waits looks again.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.deadline(&t, nil) }

// SetWriteDeadline is the same for Write.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.deadline(nil, &t) }

func (c *Conn) deadline(read, write *time.Time) error {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	if read != nil {
		c.readBy = *read
		token(c.readable)
	}
	if write != nil {
		c.writeBy = *write
		token(c.writable)
	}
	return nil
}

// SetLinger of 0 has Close reset the connection.
func (c *Conn) SetLinger(seconds int) error {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	c.linger = seconds == 0
	return nil
}

// LocalAddr is this end.
func (c *Conn) LocalAddr() net.Addr { return net.TCPAddrFromAddrPort(c.local) }

// RemoteAddr is the other end.
func (c *Conn) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(c.remote) }

// Remote is the other end.
func (c *Conn) Remote() netip.AddrPort { return c.remote }
