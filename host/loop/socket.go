package loop

import (
	"errors"
	"net"
	"net/netip"
	"time"

	"w3host/mapxfer"
)

// never is the deadline of what waits for others alone.
const never = time.Duration(1<<63 - 1)

// ErrClientClosed is why a connection ended that the other side closed.
var ErrClientClosed = errors.New("closed by the client")

// Network is where the connections of a loop come from: System, or one in memory.
type Network interface {
	newPoller(*Loop) (poller, error)
	// Reset ends a connection of which others have copies, and closes this one.
	Reset(fd int)
	// Leave closes a copy of a connection that goes on elsewhere.
	Leave(fd int)
}

// System is the network of the operating system.
var System Network = system{}

type system struct{}

// poller watches the sockets of one loop, and ends its waits. Except wake, which any goroutine
// may call until close, its methods belong to the loop's goroutine.
type poller interface {
	listen(net.Listener) error
	stopListening()
	// adopt goes on with a connection that another process had.
	adopt(fd int, begin func(Socket) *Conn) *Conn
	// run calls pass whenever something has come, or the time has passed for which pass had
	// nothing to do; negative: until something comes. It ends when pass is over.
	run(pass func() (idle time.Duration, over bool))
	wake()
	// collect takes the news of the poller's own set; deliver reports them, and accepts so many
	// connections of each listener at most.
	collect()
	deliver(accepts int)
	// next is when the poller wants to deliver although nothing comes.
	next() time.Duration
	// read reports what the sockets of a set have, forget ends the watch over it.
	read(*set)
	forget(*set)
	close()
}

// set is sockets that are read together; the zero value has none yet.
type set struct {
	fd    int // of an epoll set
	ready any // *ready, of a network in memory
}

// Socket is a connection as the operating system has it. No method blocks.
type Socket interface {
	// Read takes the bytes that have come. There may be more if it says so, else the poller
	// reports when there is.
	Read(p []byte) (n int, more bool, err error)
	// Write takes as many bytes as there is room for; the poller reports when there is
	// room again.
	Write(p []byte) (int, error)
	// CloseWrite ends the sending side.
	CloseWrite()
	// Close ends the connection with a reset.
	Close()
	// copied says that another process gets a copy of the socket, and returns it.
	copied() int
	// leave closes this copy of the socket, and lets the connection go on.
	leave()
	// move has another loop report of the connection from now on, as that which begin makes there.
	move(to *Loop, begin func(Socket) *Conn)
	// Figures returns the measurements of the system; zero: there are none.
	Figures() mapxfer.Figures
	// Waited is for how long the bytes last received have been in the kernel;
	// 0 where that is unknown.
	Waited() time.Duration
	// watch moves the connection to a set that is read when its owner asks, or back to
	// that of the poller with nil.
	watch(*set)
}

// Adopt goes on with a connection that another process had.
func (l *Loop) Adopt(fd int, addr netip.AddrPort, at Stream, limit int, handler func(*Conn) Handler) *Conn {
	return l.poll.adopt(fd, func(s Socket) *Conn {
		c := l.resume(s, addr, at, limit)
		c.Handler = handler(c)
		return c
	})
}

// Copied says that another process gets a copy of the connection's socket, and returns it.
func (c *Conn) Copied() int { return c.Socket.copied() }
