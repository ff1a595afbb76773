package loop

import (
	"container/list"
	"errors"
	"net/netip"
	"time"

	"w3host/mapxfer"
)

// lingerTime is how long a closing connection waits for the client to read its last packets and
// close. Then it is cut.
const lingerTime = 2 * time.Second

// Reasons for which a loop ends a connection.
var (
	errNoJoin   = errors.New("no join within the time limit")
	ErrOverflow = errors.New("out queue overflow: far more waits for the client than its line takes")
	ErrFlood    = errors.New("flood: too many packets a second")
	ErrCrashed  = errors.New("a fault of the host; see the log and the file that it names")
)

// Handler handles the packets and the end of a connection. Its methods are called on the loop's
// goroutine.
type Handler interface {
	// Packet handles one packet. An error ends the connection. The frame is valid only during the
	// call.
	Packet(frame []byte) error
	// Framed reports that map packets were made from queued pieces.
	Framed(parts int)
	// Crashed reports that Packet has panicked. The connection is cut afterwards.
	Crashed(fault any)
	// Ended is called once, when the connection has been closed.
	Ended(admitted bool)
}

// State is the phase of a connection.
type State uint8

// The phases of a connection, in order.
const (
	Arriving State = iota // its first packet is awaited
	Open                  // admitted
	Closing               // the queue goes out, then it is closed
	Closed
)

// Conn is a client's connection. It must be used only on the goroutine of its loop.
type Conn struct {
	Addr    netip.AddrPort
	Socket  Socket
	Handler Handler

	all   *conns
	state State
	cause error // why it was closed

	keeper  Keeper // nil: nobody goes on with the connection when the process ends
	taken   uint64 // bytes of the client's stream that were handled
	in      inbox
	expires time.Duration // when an arriving or closing connection is cut
	waiting *list.Element // in all.arriving or all.lingering

	out       outQueue
	moves     uint64 // changes whenever the socket takes something
	blocked   bool   // until the socket has room again
	dirty     bool   // in all.dirty
	unwritten bool   // in all.unwritten
	figures   mapxfer.Figures
	figuredAt time.Duration // when figures were read
}

// inbox holds received bytes that have not been handled: the beginning of a packet, and at most the
// bytes of one read.
type inbox struct {
	// rest begins with a packet. Handled bytes are sliced off and new ones appended, so that a
	// packet that arrives byte by byte is not copied for each byte.
	rest []byte
	// behind is set if rest contains a complete packet for which the last pass had no time.
	behind bool
	listed bool // in conns.unread
	paused bool // nothing is read
	moving bool // to another loop: nothing more is handled
	ending int  // bytes that have come since the connection began to close
}

// conns is the state shared by the connections of a loop.
type conns struct {
	base      time.Time     // when the loop was made
	now       time.Duration // since then, as it was last looked at
	open      int
	arriving  expiries
	lingering expiries      // those that close
	lingerEnd time.Duration // when the last of them is cut; never, until LingerAtMost
	dirty     []*Conn       // have queued something in the step at hand
	unread    []*Conn       // have sent more than one pass reads
	unwritten []*Conn       // have more to write than one pass writes
	buffers   [][]byte      // for packets; a connection has one only while some wait
}

func (s *conns) update() { s.now = time.Since(s.base).Truncate(time.Microsecond) }

// State returns the phase of the connection.
func (c *Conn) State() State { return c.state }

// Cause returns the reason why the connection was closed.
func (c *Conn) Cause() error { return c.cause }

// Waiting returns the numbers of queued bytes, of packets and of map pieces.
func (c *Conn) Waiting() (packets, pieces int) { return c.out.packetBytes(), c.out.pieceBytes }

// Moves returns a number that changes whenever the socket accepts bytes.
func (c *Conn) Moves() uint64 { return c.moves }

// Figures returns measurements of the connection. The packets of one read share one query of the
// socket, because nothing is written between them.
func (c *Conn) Figures() mapxfer.Figures {
	if c.figuredAt != c.all.now {
		c.figures, c.figuredAt = c.Socket.Figures(), c.all.now
	}
	c.figures.Queued = c.out.pieceBytes + len(c.out.rest)
	return c.figures
}

// Await cuts the connection after timeout unless it is admitted by then. limit is the maximum
// number of queued packet bytes.
func (c *Conn) Await(timeout time.Duration, limit int) {
	c.out.limit = limit
	c.all.arriving.add(c, c.all.now+timeout)
}

// Admit marks the connection as admitted, after its first packet.
func (c *Conn) Admit() {
	c.state = Open
	c.all.arriving.remove(c)
}

// Queue queues a packet before all map pieces. It is written at the end of the pass.
func (c *Conn) Queue(frame []byte) {
	if c.state >= Closing {
		return
	}
	if c.out.packets == nil {
		c.out.packets = c.all.buffer()
	}
	if !c.out.push(frame) {
		c.Cut(ErrOverflow)
		return
	}
	c.soon()
}

// QueuePiece queues a piece of the map behind all packets.
func (c *Conn) QueuePiece(p Piece) {
	c.out.pushPiece(p)
	c.soon()
}

// DropPieces removes the queued map pieces.
func (c *Conn) DropPieces() { c.out.dropPieces() }

// soon schedules a flush at the end of the pass.
func (c *Conn) soon() {
	if !c.dirty {
		c.dirty = true
		c.all.dirty = append(c.all.dirty, c)
	}
}

// Finish closes the connection after the queue has been sent; closing at once could destroy the
// last packet. cause is logged.
func (c *Conn) Finish(cause error) {
	if c.state >= Closing {
		return
	}
	c.state, c.cause = Closing, cause
	c.in.rest, c.in.behind = nil, false
	c.Socket.watch(nil)
	c.out.dropPieces()
	c.all.arriving.remove(c)
	c.all.lingering.add(c, min(c.all.now+lingerTime, c.all.lingerEnd))
	c.soon()
}

// Cut closes the connection at once with a reset, which also discards the data in the kernel's send
// buffer.
func (c *Conn) Cut(cause error) {
	if c.state == Closed {
		return
	}
	admitted := c.state != Arriving
	if c.cause == nil {
		c.cause = cause
	}
	c.Socket.Close()
	c.forget()
	if c.keeper != nil {
		c.keeper.Dropped()
	}
	c.Handler.Ended(admitted)
}

// forget removes the connection from the loop's lists.
func (c *Conn) forget() {
	c.state = Closed
	c.in.rest, c.in.behind = nil, false
	c.out = outQueue{limit: c.out.limit}
	c.all.arriving.remove(c)
	c.all.lingering.remove(c)
	c.all.open--
}

// rescue cuts the connection if its handler panics.
func (c *Conn) rescue() {
	if fault := recover(); fault != nil {
		c.Handler.Crashed(fault)
		c.Cut(ErrCrashed)
	}
}

// spareBuffers and spareBytes limit the number and the total size of buffers kept for reuse.
const spareBuffers, spareBytes = 256, 4 << 10

func (s *conns) buffer() (b []byte) {
	if n := len(s.buffers) - 1; n >= 0 {
		b, s.buffers = s.buffers[n], s.buffers[:n]
	}
	return b
}

func (s *conns) recycle(b []byte) {
	if len(s.buffers) < spareBuffers && cap(b) <= spareBytes {
		s.buffers = append(s.buffers, b[:0])
	}
}

// expiries is a queue of connections that are cut after a time limit. All have the same limit, so
// the first one in expires first.
type expiries struct{ list.List }

func (e *expiries) add(c *Conn, at time.Duration) {
	c.expires, c.waiting = at, e.PushBack(c)
}

// remove removes a connection if it is in the queue.
func (e *expiries) remove(c *Conn) {
	if c.waiting != nil {
		e.Remove(c.waiting)
	}
}

// first returns the connection that expires first, or nil.
func (e *expiries) first() *Conn {
	if front := e.Front(); front != nil {
		return front.Value.(*Conn)
	}
	return nil
}

func (e *expiries) next() time.Duration {
	if c := e.first(); c != nil {
		return c.expires
	}
	return never
}
