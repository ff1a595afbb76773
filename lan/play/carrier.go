package play

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"w3host/lan"
	gproxy "w3host/protocol/gproxy/client"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

const (
	dialTimeout = 10 * time.Second
	// writeTimeout is how long either side may take nothing.
	writeTimeout = 30 * time.Second
	// farewell is what a client has to read its last packets, and to close.
	farewell = 2 * time.Second
	// carrierTick is how often the time is looked at, and dialRetry how long it is from one
	// try to come back to the next.
	carrierTick = 100 * time.Millisecond
	dialRetry   = time.Second
	// mostKept bounds what waits for a host's acknowledgement: hours of a busy player.
	mostKept = 4 << 20
	// reconnectSize as a map's width and height says that the host can be come back to.
	reconnectSize = 1984
)

// carrier carries one client's connection to a host, over several connections there if
// the line breaks.
type carrier struct {
	client *net.TCPConn
	to     lan.Found
	port   uint16 // that the host gives its lobby, as it sees itself
	say    func(texts.Text)
	base   time.Time

	mu      sync.Mutex // guards what follows
	core    gproxy.Proxy
	host    net.Conn // nil: none
	entered bool     // that was said
	lost    bool     // likewise
	dialing bool
	retryAt time.Duration
	ended   chan struct{}
	once    sync.Once
}

// carry is a lan.CarryFunc.
func (s *session) carry(ctx context.Context, client *net.TCPConn, head []byte, to lan.Found) error {
	host, err := net.DialTimeout("tcp", to.JoinAddr().String(), dialTimeout)
	if err != nil {
		s.say(texts.Of("The host cannot be reached, so nobody has joined %q: %v.", to.Info.Name, plain(err)))
		return err
	}
	c := &carrier{client: client, to: to, port: s.ownPort(to.Info.GameID), say: s.say, base: time.Now(), host: host, ended: make(chan struct{})}
	c.core.MostKept = mostKept
	if to.Info.Stat.Width == reconnectSize && to.Info.Stat.Height == reconnectSize {
		c.core.Version = 1
	}
	_ = c.core.FromClient(head) // less than a packet
	defer context.AfterFunc(ctx, c.end)()
	var parts sync.WaitGroup
	parts.Go(c.tend)                      // ends with end
	parts.Go(func() { c.readHost(host) }) // ends with its connection
	c.readClient()
	c.end()
	parts.Wait()
	return nil
}

func (c *carrier) now() time.Duration { return time.Since(c.base) }

// end closes both connections.
func (c *carrier) end() {
	c.once.Do(func() {
		close(c.ended)
		_ = c.client.Close()
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.host != nil {
			_ = c.host.Close()
		}
	})
}

func (c *carrier) readClient() {
	buf := make([]byte, 16<<10)
	for {
		n, err := c.client.Read(buf)
		c.mu.Lock()
		bad := c.core.FromClient(buf[:n])
		if err != nil || bad != nil {
			c.core.ClientGone()
		}
		c.flush()
		c.mu.Unlock()
		if err != nil || bad != nil {
			return
		}
	}
}

func (c *carrier) readHost(host net.Conn) {
	buf := make([]byte, 64<<10)
	for {
		n, err := host.Read(buf)
		c.mu.Lock()
		if c.host != host {
			c.mu.Unlock()
			return
		}
		if bad := c.core.FromHost(c.now(), buf[:n]); bad != nil {
			c.core.State, c.core.Why = gproxy.Over, bad.Error()
		} else if err != nil {
			c.lose()
		}
		c.flush()
		c.tell()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (c *carrier) lose() {
	if c.host != nil {
		_ = c.host.Close()
		c.host = nil
		c.core.Broken()
	}
}

// flush writes what waits for both sides. When nothing more can come, the client may
// still read what it was sent.
func (c *carrier) flush() {
	if b := c.core.ToClient; len(b) > 0 {
		c.core.ToClient = nil
		_ = c.client.SetWriteDeadline(time.Now().Add(writeTimeout))
		if _, err := c.client.Write(b); err != nil {
			_ = c.client.Close() // its reader ends
		}
	}
	if b := c.core.ToHost; len(b) > 0 && c.host != nil {
		c.core.ToHost = nil
		_ = c.host.SetWriteDeadline(time.Now().Add(writeTimeout))
		if _, err := c.host.Write(b); err != nil {
			c.lose()
		}
	}
	if c.core.State == gproxy.Over {
		_ = c.client.CloseWrite()
		_ = c.client.SetReadDeadline(time.Now().Add(farewell))
	}
}

// tell says what has changed for the player.
func (c *carrier) tell() {
	name := c.to.Info.Name
	switch lost := c.core.State == gproxy.Lost || c.core.State == gproxy.Asking; {
	case c.core.Refused != 0 && !c.entered:
		c.entered = true
		c.say(refusal(name, w3gs.RejectReason(c.core.Refused)))
	case c.core.Entered && !c.entered:
		c.entered = true
		c.say(texts.Of("You are in %q.", name))
	case c.core.State == gproxy.Over && c.core.Entered && !c.core.Left():
		c.core.Entered = false
		c.say(texts.Of("The connection to %q has ended: the game is over, or you can no longer get back in.", name))
	case lost && !c.lost:
		c.lost = true
		c.say(texts.Of("The connection to %q is lost. Leave the game open: w3host is reconnecting; the others wait for about %v.",
			name, time.Duration(c.core.Empties+1)*time.Minute))
	case !lost && c.lost && c.core.State == gproxy.Linked:
		c.lost = false
		c.say(texts.Of("You are back in %q.", name))
	}
}

// refusal is a 0x05 in words.
func refusal(name string, reason w3gs.RejectReason) texts.Text {
	switch reason {
	case w3gs.RejectFull:
		return texts.Of("%q has not let you in: it is full, or there are too many connections from your address.", name)
	case w3gs.RejectStarted:
		return texts.Of("%q has not let you in: the game has started or is over.", name)
	case w3gs.RejectWrongKey:
		return texts.Of("%q has not let you in: your list is out of date. Try once more.", name)
	}
	return texts.Of("%q has not let you in: the name may be taken or not allowed, or you are banned, or you have tried too often.", name)
}

// tend looks at the clock and comes back when the line is lost.
func (c *carrier) tend() {
	ticker := time.NewTicker(carrierTick)
	defer ticker.Stop()
	for {
		select {
		case <-c.ended:
			return
		case <-ticker.C:
		}
		c.mu.Lock()
		now := c.now()
		if c.core.Tick(now) {
			c.lose()
		}
		c.flush()
		c.tell()
		if c.core.State == gproxy.Lost && !c.dialing && now >= c.retryAt {
			c.dialing = true
			go c.dial(c.core.Port) // ends within dialTimeout
		}
		c.mu.Unlock()
	}
}

// dial opens a connection to come back by. Where the host names the port of its lobbies,
// that is the port that was joined: its router may forward another number.
func (c *carrier) dial(port uint16) {
	to := c.to.JoinAddr()
	if port != c.port && port != 0 {
		to = netip.AddrPortFrom(to.Addr(), port)
	}
	host, err := net.DialTimeout("tcp", to.String(), dialTimeout)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dialing, c.retryAt = false, c.now()+dialRetry
	select {
	case <-c.ended:
		err = errors.Join(err, net.ErrClosed)
	default:
	}
	if err != nil || c.core.State != gproxy.Lost {
		if host != nil {
			_ = host.Close()
		}
		return
	}
	c.host = host
	c.core.Connected(c.now())
	c.flush()
	go c.readHost(host) // ends with the connection, which end closes
}
