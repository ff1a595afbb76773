// Package carry connects a game client to a host and reconnects to the host if that connection breaks, using the
// GProxy++ protocol. Carrier adds sockets and a clock to the state machine gproxy.Proxy. Packages lan/play and bots use
// it.
package carry

import (
	"cmp"
	"net"
	"sync"
	"time"

	gproxy "w3host/protocol/gproxy/client"
)

const (
	// writeTimeout is how long either side may accept no data.
	writeTimeout = 30 * time.Second
	// farewell is how long a client may take to read its last packets and close.
	farewell = 2 * time.Second
)

// Options configure a Carrier.
type Options struct {
	Proxy gproxy.Proxy // initial state
	// Dial opens a new connection to the port offered by the host. It must return within seconds.
	Dial  func(port uint16) (net.Conn, error)
	Every time.Duration // interval of checks of the clock
	Retry time.Duration // pause after a failed Dial
	// Write sends bytes to the host; after an error the connection is lost. nil writes them directly.
	Write func(host net.Conn, b []byte) error
	// Changed is called whenever the proxy may have changed. It is never called concurrently with itself or Write.
	Changed func(now time.Duration, p *gproxy.Proxy)
}

// Client is the connection of a game client, usually a *net.TCPConn.
type Client interface {
	net.Conn
	CloseWrite() error
}

// lock is a mutex under which flush may wait for a slow peer. It is a channel, because waiting for a sync.Mutex would
// stop the virtual time of tests, in which that peer acts.
type lock chan struct{}

func (l lock) take() { l <- struct{}{} }
func (l lock) give() { <-l }

// Carrier carries the connection of one client. It ends with the client, with Close, or when reconnecting to the host is
// impossible.
type Carrier struct {
	opts   Options
	client Client
	begun  time.Time
	ended  chan struct{}
	once   sync.Once
	parts  sync.WaitGroup

	lock    lock // guards the following fields
	proxy   gproxy.Proxy
	host    net.Conn // nil while there is no connection
	dialing bool
	retryAt time.Duration
	fault   error
}

// New returns a Carrier between a client and a host. Call Start to begin.
func New(client Client, host net.Conn, opts Options) *Carrier {
	if opts.Write == nil {
		opts.Write = func(host net.Conn, b []byte) error {
			_, err := host.Write(b)
			return err
		}
	}
	return &Carrier{opts: opts, client: client, begun: time.Now(), ended: make(chan struct{}), proxy: opts.Proxy, host: host, lock: make(lock, 1)}
}

// Start starts the goroutines that carry the bytes.
func (c *Carrier) Start() {
	host := c.host
	c.parts.Go(c.readClient)                // ends with the client
	c.parts.Go(func() { c.readHost(host) }) // ends with its connection
	c.parts.Go(c.tend)                      // ends with Close
}

// Close ends both connections.
func (c *Carrier) Close() {
	c.once.Do(func() {
		close(c.ended)
		_ = c.client.Close()
		c.lock.take()
		defer c.lock.give()
		if c.host != nil {
			_ = c.host.Close()
		}
	})
}

// Wait blocks until the Carrier has ended.
func (c *Carrier) Wait() { c.parts.Wait() }

// State returns a copy of the proxy without its pending bytes, and the first error of either side.
func (c *Carrier) State() (gproxy.Proxy, error) {
	c.lock.take()
	defer c.lock.give()
	state := c.proxy
	state.ToClient, state.ToHost = nil, nil
	return state, c.fault
}

// Do calls f under the lock, as Changed is called, and sends the resulting packets.
func (c *Carrier) Do(f func(now time.Duration)) {
	c.lock.take()
	defer c.lock.give()
	f(c.now())
	c.flush()
}

// Lose resets the connection to the host. It may be called only from Write, Changed and Do.
func (c *Carrier) Lose() {
	if c.host == nil {
		return
	}
	if tcp, ok := c.host.(interface{ SetLinger(int) error }); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.host.Close()
	c.host = nil
	c.proxy.Broken()
}

// NotBefore sets the earliest time of the next Dial. It may be called only from Write, Changed and Do.
func (c *Carrier) NotBefore(at time.Duration) { c.retryAt = at }

func (c *Carrier) now() time.Duration { return time.Since(c.begun) }

func (c *Carrier) readClient() {
	defer c.Close()
	buf := make([]byte, 16<<10)
	for {
		n, err := c.client.Read(buf)
		c.lock.take()
		bad := c.proxy.FromClient(buf[:n])
		if c.fault = cmp.Or(c.fault, bad); err != nil || bad != nil {
			c.proxy.ClientGone()
		}
		c.flush()
		c.lock.give()
		if err != nil || bad != nil {
			return
		}
	}
}

func (c *Carrier) readHost(host net.Conn) {
	buf := make([]byte, 64<<10)
	for {
		n, err := host.Read(buf)
		c.lock.take()
		if c.host != host {
			c.lock.give()
			return
		}
		if bad := c.proxy.FromHost(c.now(), buf[:n]); bad != nil {
			c.proxy.State, c.proxy.Why, c.fault = gproxy.Over, bad.Error(), cmp.Or(c.fault, bad)
		} else if err != nil {
			c.Lose()
		}
		c.flush()
		c.opts.Changed(c.now(), &c.proxy)
		c.lock.give()
		if err != nil {
			return
		}
	}
}

// flush writes the pending bytes of both sides. At the end it lets the client read the packets already sent.
func (c *Carrier) flush() {
	if b := c.proxy.ToClient; len(b) > 0 {
		c.proxy.ToClient = nil
		_ = c.client.SetWriteDeadline(time.Now().Add(writeTimeout))
		if _, err := c.client.Write(b); err != nil {
			_ = c.client.Close() // ends its reader
		}
	}
	if b := c.proxy.ToHost; len(b) > 0 && c.host != nil {
		c.proxy.ToHost = nil
		_ = c.host.SetWriteDeadline(time.Now().Add(writeTimeout))
		if c.opts.Write(c.host, b) != nil {
			c.Lose()
		}
	}
	if c.proxy.State == gproxy.Over {
		_ = c.client.CloseWrite()
		_ = c.client.SetReadDeadline(time.Now().Add(farewell))
	}
}

// tend checks the clock and reconnects when the connection is lost.
func (c *Carrier) tend() {
	ticker := time.NewTicker(c.opts.Every)
	defer ticker.Stop()
	for {
		select {
		case <-c.ended:
			return
		case <-ticker.C:
		}
		c.lock.take()
		now := c.now()
		if c.proxy.Tick(now) {
			c.Lose()
		}
		c.flush()
		c.opts.Changed(now, &c.proxy)
		if c.proxy.State == gproxy.Lost && !c.dialing && now >= c.retryAt {
			c.dialing = true
			go c.dial(c.proxy.Port) // ends with the attempt
		}
		c.lock.give()
	}
}

// dial opens a connection to resume the session.
func (c *Carrier) dial(port uint16) {
	host, err := c.opts.Dial(port)
	c.lock.take()
	defer c.lock.give()
	c.dialing, c.retryAt = false, max(c.retryAt, c.now()+c.opts.Retry)
	if err != nil {
		return // tend will retry
	}
	select {
	case <-c.ended:
		_ = host.Close()
		return
	default:
	}
	if c.proxy.State != gproxy.Lost {
		_ = host.Close()
		return
	}
	c.host = host
	c.proxy.Connected(c.now())
	c.flush()
	go c.readHost(host) // ends with the connection, which Close closes
}
