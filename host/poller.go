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
	// run calls cycle whenever something has come, or the time has passed for which
	// cycle had nothing to do; negative: until something comes. Before each it has
	// the shard look at the clock and run its calls, and passes on what has come. It
	// ends when cycle is over.
	run(cycle func() (idle time.Duration, over bool))
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
