package loop

import (
	"errors"
	"net/netip"
	"time"

	"w3host/mapxfer"
)

// never is the deadline of what waits for others alone.
const never = time.Duration(1<<63 - 1)

// ErrClientClosed is why a connection ended that the other side closed.
var ErrClientClosed = errors.New("closed by the client")

// Socket is a connection as the operating system has it. No method blocks.
type Socket interface {
	// Read takes what has come. There may be more if it says so, else the poller
	// reports when there is.
	Read(p []byte) (n int, more bool, err error)
	// Write takes as many bytes as there is room for; the poller reports when there is
	// room again.
	Write(p []byte) (int, error)
	// CloseWrite ends the sending side.
	CloseWrite()
	// Close ends the connection with a reset.
	Close()
	// leave closes this copy of the socket, and lets the connection go on.
	leave()
	// move has another loop report of the connection from now on, to whom begin makes there.
	move(to *Loop, begin func(Socket) events)
	// Figures returns the measurements of the system; zero: there are none.
	Figures() mapxfer.Figures
	// Waited is for how long what was last received has been in the kernel;
	// 0 where that is unknown.
	Waited() time.Duration
	// watch moves the connection to a set that is read when its owner asks, or back to
	// that of the poller with nil.
	watch(*set)
}

// events takes the reports of a poller about one socket.
type events interface {
	readable()
	writable()
	Cut(cause error)
}

// server is the user of a poller. All methods except call and wait are for its own goroutine.
type server interface {
	// arrive takes a new connection; nil: it is closed again.
	arrive(Socket, netip.AddrPort) events
	// punctual does what has become due; the poller calls it between two sockets.
	punctual()
	call(f func())
	wait(f func()) bool
	cannotAccept(err error, pause time.Duration)
}

// clock is the time since the loop was made, as it was last looked at.
type clock struct {
	base time.Time
	now  time.Duration
}

func (c *clock) update() { c.now = time.Since(c.base).Truncate(time.Microsecond) }
