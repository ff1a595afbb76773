package host

import (
	"net"
	"time"
)

// poller watches sockets for a shard. All but wake belongs to its goroutine.
type poller interface {
	// listen takes connections from a listener, which it owns from here on.
	listen(l *net.TCPListener) error
	// stopListening closes the listeners.
	stopListening()
	// wait waits for news, at most so long, or for ever if negative. It has the
	// shard look at the clock and run its calls, and then passes on what has come.
	wait(d time.Duration)
	// wake ends a wait.
	wake()
	// read passes on what the links of a running game have been sent.
	read(g *Game)
	// forget ends the watch over a running game.
	forget(g *Game)
	// next is when the poller itself has something to do.
	next() (time.Duration, bool)
	close()
}
