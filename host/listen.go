package host

import (
	"fmt"
	"net"
	"net/netip"
)

// Listeners are the TCP ports of a host. They are opened first, since whoever announces
// the host's lobbies needs the port; nobody is accepted before Run.
type Listeners struct {
	Main    *net.TCPListener
	Returns *net.TCPListener // for those who come back; nil: Main
}

// Listen opens them; returns is empty for none of its own.
func Listen(addr, returns string) (l Listeners, err error) {
	if l.Main, err = listen(addr); err != nil || returns == "" {
		return l, err
	}
	if l.Returns, err = listen(returns); err != nil {
		l.Close()
	}
	return l, err
}

func listen(addr string) (*net.TCPListener, error) {
	network := "tcp"
	if ap, err := netip.ParseAddrPort(addr); err == nil && ap.Addr().Is4() {
		network = "tcp4" // the wildcard would listen on IPv6 too, which Warcraft III does not speak
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return l.(*net.TCPListener), nil
}

// Addr is where the host listens.
func (l Listeners) Addr() netip.AddrPort { return addrOf(l.Main) }

// Close closes what no host has taken over.
func (l Listeners) Close() {
	_ = l.Main.Close()
	if l.Returns != nil {
		_ = l.Returns.Close()
	}
}

func addrOf(l *net.TCPListener) netip.AddrPort { return l.Addr().(*net.TCPAddr).AddrPort() }
