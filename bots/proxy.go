package bots

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"time"

	gproxy "w3host/protocol/gproxy/client"
)

// proxyTick is how often a proxy looks at the clock, and tries again to connect.
const proxyTick = 40 * time.Millisecond

// ProxyOptions say how a proxy behaves.
type ProxyOptions struct {
	// Version is 1, or 2 for one that needs no empty actions; 0 never asks for the
	// extension.
	Version uint32
	// Dial opens a new connection to the port that the host has offered, within 10 s.
	Dial func(port uint16) (net.Conn, error)

	Cuts       ProxyConduct
	EmptyEvery time.Duration // 0: a minute
	Silence    time.Duration // 0: 20 s
}

// Proxy is a GProxy++ proxy between a game client and a host: gproxy.Proxy with
// sockets and a clock.
type Proxy struct {
	opts   ProxyOptions
	client *net.TCPConn
	base   time.Time
	end    chan struct{}
	once   sync.Once

	mu     sync.Mutex
	core   gproxy.Proxy
	host   net.Conn      // nil: none
	dials  bool          // a connection is being opened
	after  time.Duration // earliest time of the next dial
	nextAt time.Duration // of the next cut; 0: none is planned yet
	cutAt  int           // bytes until the cut; -1: none is due
	err    error
}

// StartProxy starts a proxy in front of a connection to a host. The returned
// connection is for the game client.
func StartProxy(host net.Conn, opts ProxyOptions) (*Proxy, *net.TCPConn, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	game, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	client, err := l.Accept()
	if err != nil {
		return nil, nil, errors.Join(err, game.Close())
	}
	p := &Proxy{
		opts: opts, client: client.(*net.TCPConn), base: time.Now(), end: make(chan struct{}), host: host, cutAt: -1,
		core: gproxy.Proxy{Version: opts.Version, EmptyEvery: opts.EmptyEvery, Silence: opts.Silence},
	}
	go p.readClient()   // ends with the client, or Close
	go p.readHost(host) // ends with the connection
	go p.tend()         // ends with Close
	return p, game.(*net.TCPConn), nil
}

// Cut breaks the connection after atByte more bytes have been sent, and reconnects
// after lasting.
func (p *Proxy) Cut(lasting time.Duration, atByte int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut(lasting, atByte)
	p.flush()
}

// State returns a copy of the state machine, without the bytes that wait to be
// sent. The error is the first fault of the host.
func (p *Proxy) State() (gproxy.Proxy, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := p.core
	state.ToClient, state.ToHost = nil, nil
	return state, p.err
}

// Close ends both connections.
func (p *Proxy) Close() {
	p.once.Do(func() {
		close(p.end)
		_ = p.client.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.host != nil {
			_ = p.host.Close()
		}
	})
}

func (p *Proxy) now() time.Duration { return time.Since(p.base) }

func (p *Proxy) cut(lasting time.Duration, atByte int) {
	p.after = p.now() + lasting
	p.cutAt = atByte
	if atByte == 0 {
		p.lose()
	}
}

// lose resets the connection.
func (p *Proxy) lose() {
	p.cutAt = -1
	if p.host == nil {
		return
	}
	if tcp, ok := p.host.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = p.host.Close()
	p.host = nil
	p.core.Broken()
}

// flush writes the pending bytes to both sides.
func (p *Proxy) flush() {
	if b := p.core.ToClient; len(b) > 0 {
		p.core.ToClient = nil
		_ = p.client.SetWriteDeadline(time.Now().Add(writeWithin))
		_, _ = p.client.Write(b) // the reader finds errors
	}
	if b := p.core.ToHost; len(b) > 0 && p.host != nil {
		p.core.ToHost = nil
		last := p.cutAt >= 0 && len(b) >= p.cutAt
		if last {
			b = b[:p.cutAt]
		} else if p.cutAt > 0 {
			p.cutAt -= len(b)
		}
		_ = p.host.SetWriteDeadline(time.Now().Add(writeWithin))
		_, err := p.host.Write(b)
		if last {
			time.Sleep(time.Millisecond) // a reset discards what the kernel has not sent
		}
		if err != nil || last {
			p.lose()
		}
	}
	if p.core.State == gproxy.Over {
		go p.Close() // it takes the lock
	}
}

func (p *Proxy) readClient() {
	defer p.Close()
	buf := make([]byte, 16<<10)
	for {
		n, err := p.client.Read(buf)
		p.mu.Lock()
		if n > 0 {
			p.fault(p.core.FromClient(buf[:n]))
			p.flush()
		}
		if err != nil {
			p.core.ClientGone()
			p.flush()
		}
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (p *Proxy) readHost(host net.Conn) {
	buf := make([]byte, 64<<10)
	for {
		n, err := host.Read(buf)
		p.mu.Lock()
		if p.host != host {
			p.mu.Unlock()
			return
		}
		p.fault(p.core.FromHost(p.now(), buf[:n]))
		p.flush()
		if err != nil && p.host == host {
			p.lose()
			p.flush()
		}
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (p *Proxy) fault(err error) {
	if err != nil && p.err == nil {
		p.err = err
	}
}

// tend drives the state machine's clock, cuts and dials.
func (p *Proxy) tend() {
	ticker := time.NewTicker(proxyTick)
	defer ticker.Stop()
	for {
		select {
		case <-p.end:
			return
		case <-ticker.C:
		}
		p.mu.Lock()
		now := p.now()
		if p.core.Tick(now) {
			p.lose()
		}
		if every := p.opts.Cuts.CutEvery; every > 0 && p.core.CanReturn() && p.core.State == gproxy.Linked && now >= p.nextAt {
			if p.nextAt > 0 {
				p.cut(p.opts.Cuts.CutFor, p.opts.Cuts.CutAtByte)
			}
			p.nextAt = now + every
		}
		p.flush()
		if p.core.State == gproxy.Lost && now >= p.after && !p.dials {
			p.dials = true
			go p.dial(p.core.Port) // ends with the attempt
		}
		p.mu.Unlock()
	}
}

func (p *Proxy) dial(port uint16) {
	host, err := p.opts.Dial(port)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dials = false
	if err != nil {
		return // tend tries again
	}
	if p.core.State != gproxy.Lost {
		_ = host.Close()
		return
	}
	p.host = host
	p.core.Connected(p.now())
	p.flush()
	go p.readHost(host) // ends with the connection
}

// throughProxy starts the bot's proxy in front of its connection, if it has one.
func (r *run) throughProxy(ctx context.Context, p *player, l lobby, c net.Conn) (net.Conn, error) {
	conduct := p.conduct.Proxy
	if conduct == nil {
		return c, nil
	}
	host, _, err := net.SplitHostPort(l.addr)
	if err != nil {
		return c, err
	}
	opts := ProxyOptions{
		Cuts: *conduct,
		Dial: func(port uint16) (net.Conn, error) {
			return r.dialFor(ctx, p, net.JoinHostPort(host, strconv.Itoa(int(port))))
		},
	}
	switch {
	case !l.proxies: // opts.Version stays 0
	case conduct.Extended:
		opts.Version = 2
	default:
		opts.Version = 1
	}
	proxy, game, err := StartProxy(c, opts)
	if err != nil {
		return c, err
	}
	p.proxy = proxy
	return game, nil
}
