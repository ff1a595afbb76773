package loop

import (
	"container/list"
	"errors"
	"net/netip"
	"time"

	"w3host/mapxfer"
)

// lingerTime is how long a client may take to read its last packets and to close
// before it is cut.
const lingerTime = 2 * time.Second

// Why a loop ends a connection.
var (
	errNoJoin   = errors.New("no join within the time limit")
	ErrOverflow = errors.New("out queue overflow: far more waits for the client than its line takes")
	ErrFlood    = errors.New("flood: too many packets a second")
	ErrCrashed  = errors.New("a fault of the host; see the log and the file that it names")
)

// Handler takes the frames and the end of a connection. It is called on the loop's goroutine.
type Handler interface {
	// Packet takes one packet. An error ends the connection.
	Packet(frame []byte) error
	// Framed counts packets of the map that were made from pieces.
	Framed(parts int)
	// Crashed reports that Packet has panicked; the connection is cut then.
	Crashed(fault any)
	// Ended comes once, when the connection is closed.
	Ended(admitted bool)
}

// State is how far a connection has come.
type State uint8

// The states, in their order.
const (
	Arriving State = iota // its first packet is awaited
	Open                  // admitted
	Closing               // the queue goes out, then it is closed
	Closed
)

// Conn is one client's connection. It belongs to the goroutine of its loop.
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

// inbox holds the bytes of a client that are not handled yet: the beginning of one packet,
// and at most as much again as one read takes.
type inbox struct {
	// rest begins with a packet. Handled bytes are sliced off and new ones are
	// appended, so that a packet that comes byte by byte is not copied for each byte.
	rest []byte
	// behind says that rest holds a whole packet that the last pass had no time for.
	behind bool
	listed bool // in conns.unread
	paused bool // nothing is read
	moving bool // to another loop: nothing more is handled
	ending int  // bytes that have come since the connection began to close
}

// conns is the state that the connections of a loop share.
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

// State is how far the connection has come.
func (c *Conn) State() State { return c.state }

// Cause is why the connection was closed.
func (c *Conn) Cause() error { return c.cause }

// Waiting is how many bytes of packets and of pieces wait for the socket.
func (c *Conn) Waiting() (packets, pieces int) { return c.out.packetBytes(), c.out.pieceBytes }

// Moves changes whenever the socket takes something.
func (c *Conn) Moves() uint64 { return c.moves }

// Figures is the state of the connection. Nothing is written between the packets of
// one read, so they need but one look at the socket.
func (c *Conn) Figures() mapxfer.Figures {
	if c.figuredAt != c.all.now {
		c.figures, c.figuredAt = c.Socket.Figures(), c.all.now
	}
	c.figures.Queued = c.out.pieceBytes + len(c.out.rest)
	return c.figures
}

// Await has the connection cut unless it is admitted in time; limit is how many bytes
// of packets may wait for it.
func (c *Conn) Await(timeout time.Duration, limit int) {
	c.out.limit = limit
	c.all.arriving.add(c, c.all.now+timeout)
}

// Admit ends the wait for the first packet.
func (c *Conn) Admit() {
	c.state = Open
	c.all.arriving.remove(c)
}

// Queue puts a packet in front of any piece; it is written at the end of the step.
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

// QueuePiece has a piece of the map sent behind all packets.
func (c *Conn) QueuePiece(p Piece) {
	c.out.pushPiece(p)
	c.soon()
}

// DropPieces takes back the pieces that wait.
func (c *Conn) DropPieces() { c.out.dropPieces() }

// soon has the connection flushed at the end of the step.
func (c *Conn) soon() {
	if !c.dirty {
		c.dirty = true
		c.all.dirty = append(c.all.dirty, c)
	}
}

// Finish lets the client have the queue and closes then. Closing at once would
// reset the connection under the last packet. cause is for the log.
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

// Cut closes at once. The reset spares the kernel a queue that nobody will read.
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

// forget removes a connection from the loop.
func (c *Conn) forget() {
	c.state = Closed
	c.in.rest, c.in.behind = nil, false
	c.out = outQueue{limit: c.out.limit}
	c.all.arriving.remove(c)
	c.all.lingering.remove(c)
	c.all.open--
}

// rescue ends the connection if its handler panics.
func (c *Conn) rescue() {
	if fault := recover(); fault != nil {
		c.Handler.Crashed(fault)
		c.Cut(ErrCrashed)
	}
}

// spareBuffers and spareBytes bound the memory kept for the next packets.
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

// expiries are connections that are cut after a while. All wait for the same time, so
// the first in is the first out.
type expiries struct{ list.List }

func (e *expiries) add(c *Conn, at time.Duration) {
	c.expires, c.waiting = at, e.PushBack(c)
}

// remove forgets a connection, if it is here.
func (e *expiries) remove(c *Conn) {
	if c.waiting != nil {
		e.Remove(c.waiting)
	}
}

// first is the connection whose time ends first; nil: none.
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
