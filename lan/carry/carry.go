// Package carry carries a game client's connection to a host, over several connections there if the
// line breaks: it is gproxy.Proxy with sockets and a clock.
package carry

import (
	"cmp"
	"net"
	"sync"
	"time"

	gproxy "w3host/protocol/gproxy/client"
)

const (
	// writeTimeout is how long either side may take nothing.
	writeTimeout = 30 * time.Second
	// farewell is how long a client may take to read its last packets and to close.
	farewell = 2 * time.Second
)

// Options configure a Carrier.
type Options struct {
	Proxy gproxy.Proxy // as it begins
	// Dial opens a new connection to the port that the host has offered, within some seconds.
	Dial  func(port uint16) (net.Conn, error)
	Every time.Duration // the time between two looks at the clock
	Retry time.Duration // the time from one Dial that has failed to the next
	// Write sends bytes to the host; after an error the connection is lost. nil sends them all.
	Write func(host net.Conn, b []byte) error
	// Changed is called after everything that may have changed the proxy. Neither it nor Write is
	// called twice at once.
	Changed func(now time.Duration, p *gproxy.Proxy)
}

// Client is the connection of a game client: a *net.TCPConn, or one in memory.
type Client interface {
	net.Conn
	CloseWrite() error
}

// lock is a mutex under which flush may wait for a slow peer. Who waits for a mutex would stop the virtual time
// of tests, in which that peer acts.
type lock chan struct{}

func (l lock) take() { l <- struct{}{} }
func (l lock) give() { <-l }

// Carrier is one client's connection. It ends with the client, with Close, or when the host cannot be
// come back to.
type Carrier struct {
	opts   Options
	client Client
	begun  time.Time
	ended  chan struct{}
	once   sync.Once
	parts  sync.WaitGroup

	lock    lock // guards what follows
	proxy   gproxy.Proxy
	host    net.Conn // nil: none
	dialing bool
	retryAt time.Duration
	fault   error
}

// New makes a Carrier between a client and a host; Start begins.
func New(client Client, host net.Conn, opts Options) *Carrier {
	if opts.Write == nil {
		opts.Write = func(host net.Conn, b []byte) error {
			_, err := host.Write(b)
			return err
		}
	}
	return &Carrier{opts: opts, client: client, begun: time.Now(), ended: make(chan struct{}), proxy: opts.Proxy, host: host, lock: make(lock, 1)}
}

// Start begins to carry bytes.
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

// Wait returns when it has ended.
func (c *Carrier) Wait() { c.parts.Wait() }

// State returns a copy of the proxy, without the bytes that wait to be sent. The error is the first
// fault of either side.
func (c *Carrier) State() (gproxy.Proxy, error) {
	c.lock.take()
	defer c.lock.give()
	state := c.proxy
	state.ToClient, state.ToHost = nil, nil
	return state, c.fault
}

// Do calls f as Changed is called, and sends the resulting packets.
func (c *Carrier) Do(f func(now time.Duration)) {
	c.lock.take()
	defer c.lock.give()
	f(c.now())
	c.flush()
}

// Lose resets the connection to the host. It is for Write, Changed and Do.
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

// NotBefore sets the earliest time of the next Dial. It is for Write, Changed and Do.
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

// flush writes the bytes that wait for both sides. When nothing more can come, the client may
// still read the packets it was sent.
func (c *Carrier) flush() {
	if b := c.proxy.ToClient; len(b) > 0 {
		c.proxy.ToClient = nil
		_ = c.client.SetWriteDeadline(time.Now().Add(writeTimeout))
		if _, err := c.client.Write(b); err != nil {
			_ = c.client.Close() // its reader ends
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

// tend looks at the clock, and comes back when the line is lost.
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

// dial opens a connection to come back by.
func (c *Carrier) dial(port uint16) {
	host, err := c.opts.Dial(port)
	c.lock.take()
	defer c.lock.give()
	c.dialing, c.retryAt = false, max(c.retryAt, c.now()+c.opts.Retry)
	if err != nil {
		return // tend tries again
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
