package web

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"slices"
	"sync"

	"w3host/internal/network"
)

// Limits on open connections: in total, and for one address that is not a trusted proxy. A
// connection beyond a limit is closed at once, so that operators elsewhere can still connect. The
// total does not apply to connections from this machine itself.
const (
	maxConns        = 1024
	maxConnsPerAddr = 128
	// reservedConns is the number of extra connections from trusted proxies that are accepted when
	// maxConns are open. They serve health checks only.
	reservedConns = 32
)

// bounded is a listener that enforces these limits.
type bounded struct {
	net.Listener
	proxies []netip.Prefix

	mu       sync.Mutex
	all      int
	reserved int
	from     map[netip.Addr]int
}

func newBounded(l net.Listener, proxies []netip.Prefix) *bounded {
	return &bounded{Listener: l, proxies: proxies, from: make(map[netip.Addr]int)}
}

// Accept returns the next connection within the limits and closes all others.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		conn, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		remote := conn.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
		if taken := b.take(remote); taken != refused {
			return &counted{Conn: conn, healthOnly: taken == reserved, done: sync.OnceFunc(func() { b.free(network.Base(remote), taken) })}, nil
		}
		_ = conn.Close()
	}
}

// admission is the decision about a new connection.
type admission uint8

const (
	refused  admission = iota
	reserved           // for health checks only
	admitted
)

// home holds the addresses that a connection from this machine itself has.
var home = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}

func (b *bounded) take(remote netip.Addr) admission {
	addr, proxy := network.Base(remote), within(b.proxies, remote)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch full := b.all >= maxConns; {
	case full && proxy && b.reserved < reservedConns:
		b.reserved++
		return reserved
	case full && (proxy || !slices.Contains(home, remote)), !proxy && b.from[addr] >= maxConnsPerAddr:
		return refused
	}
	b.all++
	b.from[addr]++
	return admitted
}

func (b *bounded) free(addr netip.Addr, was admission) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if was == reserved {
		b.reserved--
		return
	}
	b.all--
	if b.from[addr]--; b.from[addr] == 0 {
		delete(b.from, addr)
	}
}

// counted is a connection that releases its place in the limits when it is closed.
type counted struct {
	net.Conn
	healthOnly bool
	done       func()
}

func (c *counted) Close() error {
	c.done()
	return c.Conn.Close()
}

type healthOnlyKey struct{}

// connContext marks the context of connections that serve health checks only.
func connContext(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if c, ok := conn.(*counted); ok && c.healthOnly {
		return context.WithValue(ctx, healthOnlyKey{}, true)
	}
	return ctx
}
