package web

import (
	"net"
	"net/netip"
	"slices"
	"sync"

	"w3host/internal/network"
)

// Limits of open connections: of all together, and of one address that is not a proxy. A
// connection beyond them is closed at once, so that operators elsewhere still get in; one on
// the machine itself always does.
const (
	maxConns        = 1024
	maxConnsPerAddr = 128
)

// bounded is a listener with these limits.
type bounded struct {
	net.Listener
	proxies []netip.Prefix

	mu   sync.Mutex
	all  int
	from map[netip.Addr]int
}

func newBounded(l net.Listener, proxies []netip.Prefix) *bounded {
	return &bounded{Listener: l, proxies: proxies, from: make(map[netip.Addr]int)}
}

// Accept returns the next connection for which there is room.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		conn, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		remote := conn.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
		if b.take(remote) {
			return &counted{Conn: conn, done: sync.OnceFunc(func() { b.free(network.Base(remote)) })}, nil
		}
		_ = conn.Close()
	}
}

// home are the addresses by which the machine connects to itself.
var home = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}

func (b *bounded) take(remote netip.Addr) bool {
	addr, proxy := network.Base(remote), within(b.proxies, remote)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all >= maxConns && (proxy || !slices.Contains(home, remote)) || b.from[addr] >= maxConnsPerAddr && !proxy {
		return false
	}
	b.all++
	b.from[addr]++
	return true
}

func (b *bounded) free(addr netip.Addr) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all--
	if b.from[addr]--; b.from[addr] == 0 {
		delete(b.from, addr)
	}
}

// counted gives its place back when it is closed.
type counted struct {
	net.Conn
	done func()
}

func (c *counted) Close() error {
	c.done()
	return c.Conn.Close()
}
