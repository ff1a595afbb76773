package loop

import (
	"errors"
	"net"
	"net/netip"
	"time"

	"w3host/mapxfer"
)

// never is the deadline of a wait without one.
const never = time.Duration(1<<63 - 1)

// ErrClientClosed is the cause if the client has closed the connection.
var ErrClientClosed = errors.New("closed by the client")

// Network creates the connections of a loop: System, or Memory in tests.
type Network interface {
	newPoller(*Loop) (poller, error)
	// Reset resets a connection, even if other processes have copies of its socket, and closes this
	// copy.
	Reset(fd int)
	// Release closes this copy of a socket without ending the connection.
	Release(fd int)
}

// System is the network of the operating system.
var System Network = system{}

type system struct{}

// poller watches the sockets of one loop. Its methods must be called on the loop's goroutine,
// except wake, which any goroutine may call until close.
type poller interface {
	listen(net.Listener) error
	stopListening()
	// adopt creates the connection for a socket that another process had.
	adopt(fd int, begin func(Socket) *Conn) *Conn
	// run calls pass whenever a socket is ready or the idle time returned by the last pass has
	// elapsed, until pass returns over. A negative idle time means to wait for sockets only.
	run(pass func() (idle time.Duration, over bool))
	wake()
	// collect takes the events of the poller's own set. deliver processes them, and accepts at most
	// accepts connections of each listener.
	collect()
	deliver(accepts int)
	// next returns the time at which the poller needs a call of deliver even without events.
	next() time.Duration
	// read processes the events of a set, and forget stops watching it.
	read(*set)
	forget(*set)
	close()
}

// set is a group of sockets that are read together. The zero value contains none.
type set struct {
	fd    int // of an epoll set
	ready any // *ready, of a network in memory
}

// Socket is a connection of the operating system. No method blocks.
type Socket interface {
	// Read reads the received bytes. If more is false, the poller reports when there is more to
	// read.
	Read(p []byte) (n int, more bool, err error)
	// Write writes as many bytes as there is room for. The poller reports when there is room again.
	Write(p []byte) (int, error)
	// CloseWrite closes the sending side.
	CloseWrite()
	// Close resets the connection.
	Close()
	// copied records that another process gets a copy of the socket, and returns its descriptor.
	copied() int
	// leave closes this copy of the socket without ending the connection.
	release()
	// move passes the socket to another loop, where begin creates its connection.
	move(to *Loop, begin func(Socket) *Conn)
	// Figures returns measurements of the operating system, or the zero value if there are none.
	Figures() mapxfer.Figures
	// Waited returns for how long the bytes received last were waiting in the kernel, or 0 if that
	// is unknown.
	Waited() time.Duration
	// watch moves the socket to a set, or with nil back to the poller's own set.
	watch(*set)
}

// Adopt creates the connection for a socket that another process had.
func (l *Loop) Adopt(fd int, addr netip.AddrPort, at Stream, limit int, handler func(*Conn) Handler) *Conn {
	return l.poll.adopt(fd, func(s Socket) *Conn {
		c := l.resume(s, addr, at, limit)
		c.Handler = handler(c)
		return c
	})
}

// Copied records that another process gets a copy of the connection's socket, and returns its
// descriptor.
func (c *Conn) Copied() int { return c.Socket.copied() }
