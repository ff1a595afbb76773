package lan

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// lookAgain is how long the list of interfaces is cached.
const lookAgain = 10 * time.Second

// interfaceCache caches the machine's addresses and networks. It is refreshed on use, not by a timer.
type interfaceCache struct {
	targets []netip.AddrPort

	mu       sync.Mutex
	readAt   time.Time
	prefixes []netip.Prefix // addresses of the interfaces with their prefix lengths
}

func (h *interfaceCache) kind(now time.Time, from netip.Addr) kind {
	if from.IsLoopback() {
		return local
	}
	k := beyond
	for _, p := range h.interfaces(now) {
		if p.Addr() == from {
			return local
		}
		if p.Contains(from) {
			k = attached
		}
	}
	if slices.ContainsFunc(h.targets, func(t netip.AddrPort) bool { return t.Addr() == from }) {
		return known
	}
	return k
}

func (h *interfaceCache) interfaces(now time.Time) []netip.Prefix {
	h.mu.Lock()
	defer h.mu.Unlock()
	if gone := now.Sub(h.readAt); gone < 0 || gone > lookAgain {
		h.readAt, h.prefixes = now, interfacePrefixes(0)
	}
	return h.prefixes
}

// interfacePrefixes returns the addresses of the interfaces that have these flags, with their prefix lengths. It returns
// none if the system does not tell.
func interfacePrefixes(flags net.Flags) (out []netip.Prefix) {
	interfaces, _ := net.Interfaces()
	for _, i := range interfaces {
		addrs, _ := i.Addrs()
		for _, addr := range addrs {
			p, err := netip.ParsePrefix(addr.String())
			if err == nil && i.Flags&flags == flags {
				out = append(out, p)
			}
		}
	}
	return out
}

// broadcastOf returns the broadcast address of an IPv4 network; false for networks of one or two addresses, which have
// none.
func broadcastOf(p netip.Prefix) (netip.Addr, bool) {
	if p.Bits() > 30 || !p.Addr().Is4() {
		return netip.Addr{}, false
	}
	b := p.Addr().As4()
	for i := p.Bits(); i < 32; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	return netip.AddrFrom4(b), true
}

// InterfaceBroadcasts returns the broadcast addresses of the machine's active networks, without the loopback network.
func InterfaceBroadcasts() []netip.Addr {
	return broadcasts(interfacePrefixes(net.FlagUp | net.FlagBroadcast))
}

func broadcasts(networks []netip.Prefix) (out []netip.Addr) {
	for _, p := range networks {
		if b, ok := broadcastOf(p); ok && !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}
