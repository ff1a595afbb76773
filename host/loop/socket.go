package loop

import (
	"errors"
	"time"

	"w3host/mapxfer"
)

// never is the deadline of what waits for others alone.
const never = time.Duration(1<<63 - 1)

// ErrClientClosed is why a connection ended that the other side closed.
var ErrClientClosed = errors.New("closed by the client")

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
