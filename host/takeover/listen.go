package takeover

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"

	"w3host/hold"
	"w3host/internal/network"
)

// Listeners are the TCP ports of a host. They open before the host exists, because whoever announces its lobbies needs
// the port; the host accepts connections once it serves.
type Listeners struct {
	Main    net.Listener
	Returns net.Listener // for players who reconnect; nil: Main
}

// Listen opens the ports, or takes over those that an earlier process has left. returns is empty if Main serves
// reconnects too; supervisor is nil without a supervisor.
func Listen(supervisor hold.Client, addr, returns string) (l Listeners, err error) {
	if l.Main, err = listenHeld(supervisor, MainListener, addr); err != nil || returns == "" {
		return l, err
	}
	if l.Returns, err = listenHeld(supervisor, ReturnListener, returns); err != nil {
		l.Close()
	}
	return l, err
}

// listenHeld takes over a listener, or opens one and gives it to the supervisor.
func listenHeld(supervisor hold.Client, name hold.Name, addr string) (net.Listener, error) {
	if supervisor == nil {
		return listen(addr)
	}
	if fd, ok := supervisor.Inherited()[name]; ok {
		f := os.NewFile(uintptr(fd), addr)
		defer f.Close()
		l, err := net.FileListener(f)
		if err != nil {
			return nil, fmt.Errorf("listen on %s, as before: %w", addr, err)
		}
		return l, nil
	}
	l, err := listen(addr)
	if err != nil {
		return nil, err
	}
	raw, err := l.SyscallConn()
	if err == nil {
		err = errors.Join(raw.Control(func(fd uintptr) { err = supervisor.Put(name, int(fd)) }), err)
	}
	return l, err
}

// listen opens the first free port of a range.
func listen(addr string) (l *net.TCPListener, err error) {
	ports, err := network.Ports(addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	for _, port := range ports {
		if l, err = listenAt(port); !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return l, err
}

func listenAt(addr string) (*net.TCPListener, error) {
	network := "tcp"
	if ap, err := netip.ParseAddrPort(addr); err == nil && ap.Addr().Is4() {
		network = "tcp4" // the wildcard would listen on IPv6 too
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return l.(*net.TCPListener), nil
}

// Addr is the address of Main.
func (l Listeners) Addr() netip.AddrPort { return addrOf(l.Main) }

// ReturnPort is the port of Returns, which must not be nil.
func (l Listeners) ReturnPort() uint16 { return addrOf(l.Returns).Port() }

// Close closes the sockets of a host that has not been made.
func (l Listeners) Close() {
	_ = l.Main.Close()
	if l.Returns != nil {
		_ = l.Returns.Close()
	}
}

func addrOf(l net.Listener) netip.AddrPort { return l.Addr().(*net.TCPAddr).AddrPort() }
