package host

import (
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"
)

const (
	// firstPacketMax is a generous 0x1E; before it nothing else is accepted.
	firstPacketMax = 512
	// lingerTime is how long a client may take to read its last packets and to
	// close before it is cut.
	lingerTime = 2 * time.Second
)

// conn is one client's TCP connection. Its reader goroutine feeds the inbox of
// its game; the game's goroutine sends. Sending never waits: what the kernel
// does not take at once goes to the out queue, and a drain goroutine exists
// for as long as that holds anything.
type conn struct {
	host *Host
	nc   *net.TCPConn
	raw  syscall.RawConn
	addr netip.AddrPort
	log  zerolog.Logger

	// Owned by the game's goroutine.
	pid        uint8 // 0 before the join and after the leave
	name       string
	heard      time.Duration // when its last packet came, on the game's clock
	wasWaiting bool          // something waited for the socket at the last look
	sawMoves   uint64        // moves at the last look for those who are stuck
	movedAt    time.Duration // when they were last seen to change, on the game's clock

	skipped atomic.Int64 // packets without a meaning for a host

	odd atomic.Bool // a harmless packet of its was too long; that is logged

	leaving atomic.Bool // its reader is to hand the socket to the reactor
	game    *Game       // set before leaving; the reactor reports the end there

	mu       sync.Mutex
	sock     *rawSocket // set once the reactor has it; nc and raw are of no use then
	out      outQueue
	moves    uint64 // changes whenever the socket has taken something that waited
	draining bool
	closing  bool  // close once the out queue is empty
	cause    error // why the host closed it; nil while it has not
	done     bool

	tryFn  func(fd uintptr) bool
	tryBuf []byte
	tryN   int
	tryErr error
}

func newConn(h *Host, nc *net.TCPConn) (*conn, error) {
	raw, err := nc.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("socket of %v: %w", nc.RemoteAddr(), err)
	}
	addr := nc.RemoteAddr().(*net.TCPAddr).AddrPort()
	addr = netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
	c := &conn{host: h, nc: nc, raw: raw, addr: addr, log: h.log.With().Stringer("addr", addr).Logger()}
	c.out.limit = h.opts.Limits.OutQueue
	c.tryFn = c.tryOnce
	return c, nil
}

// finish lets the client have what is queued and closes then; cause is for the
// log. The reader goroutine drops what the client still says.
func (c *conn) finish(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done || c.closing {
		return
	}
	c.closing, c.cause = true, cause
	c.out.dropPieces()
	c.linger()
	if !c.draining {
		c.lastWords()
	}
}

// cut closes at once.
func (c *conn) cut(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abort(cause)
}

// abort is cut with the lock held. The reset spares the kernel a queue that
// nobody will read.
func (c *conn) abort(cause error) {
	if c.done {
		return
	}
	if c.cause == nil {
		c.cause = cause
	}
	c.done = true
	if c.sock == nil {
		_ = c.nc.SetLinger(0)
		_ = c.nc.Close()
		return // its reader reports the end
	}
	c.sock.close()
	_ = c.game.inbox.push(event{c: c, kind: evGone, err: c.cause}, nil, false)
	c.game.host.running.Done()
}

// linger bounds how long a client takes part in its own end, whether it does not
// read or does not close.
func (c *conn) linger() {
	if c.sock != nil {
		time.AfterFunc(lingerTime, func() { c.cut(nil) })
		return
	}
	_ = c.nc.SetDeadline(time.Now().Add(lingerTime))
}

// lastWords ends the sending side; the peer's own close, or linger, ends the
// rest. Closing at once would reset the connection under the last packet.
func (c *conn) lastWords() {
	if c.sock != nil {
		c.sock.closeWrite()
		return
	}
	_ = c.nc.CloseWrite()
}

// handOver lets the reactor read this connection from now on. The reader
// goroutine, which may be in the middle of a packet, does it.
func (c *conn) handOver(g *Game) {
	c.mu.Lock()
	c.out.dropPieces() // nobody downloads after the start
	c.mu.Unlock()
	c.game = g
	c.leaving.Store(true)
	_ = c.nc.SetReadDeadline(time.Now())
}

// stay undoes handOver when the reactor could not take the connection.
func (c *conn) stay() {
	c.leaving.Store(false)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		c.linger()
		return
	}
	_ = c.nc.SetReadDeadline(time.Time{})
}

// closedBecause is the host's own reason for closing, or else what the socket
// said.
func (c *conn) closedBecause(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	_ = c.nc.Close()
	if c.cause != nil {
		return c.cause
	}
	return err
}
