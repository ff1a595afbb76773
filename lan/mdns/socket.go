package mdns

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
)

const (
	// hops is the TTL of every message; RFC 6762 requires 255.
	hops = 255
	// writeTimeout keeps a full socket buffer from delaying the other interfaces.
	writeTimeout = 200 * time.Millisecond
	// readBuffer is the size in bytes of the socket's receive buffer.
	readBuffer = 1 << 20
	// readFaults is the number of consecutive failed reads after which the socket is replaced.
	readFaults = 16
)

var (
	group4 = netip.AddrPortFrom(netip.AddrFrom4([4]byte{224, 0, 0, 251}), Port)
	group6 = netip.MustParseAddrPort("[ff02::fb]:5353")
)

// ifaceKey is an interface and an IP version.
type ifaceKey struct {
	index int
	six   bool
}

// network is the current state of an interface.
type network struct {
	name     string
	prefixes []netip.Prefix
}

// socket is the multicast DNS socket of one interface and IP version.
type socket struct {
	network network
	conn    *net.UDPConn
	decoy   *net.UDPConn // nil on systems that need none
	link    *link
	group   netip.AddrPort
	faults  atomic.Int32 // consecutive failed reads
}

// multicastInterfaces returns the interfaces usable for multicast DNS: those with multicast, and the loopback interface. With an
// address bound, only its interface is returned.
func multicastInterfaces(bind netip.Addr) map[ifaceKey]network {
	out := map[ifaceKey]network{}
	interfaces, _ := net.Interfaces() // without interfaces there is no peer
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 || i.Flags&(net.FlagMulticast|net.FlagLoopback) == 0 {
			continue
		}
		n := network{name: i.Name}
		addrs, _ := i.Addrs()
		for _, a := range addrs {
			if p, err := netip.ParsePrefix(a.String()); err == nil {
				n.prefixes = append(n.prefixes, p)
			}
		}
		own := func(p netip.Prefix) bool { return p.Addr() == bind || bind.IsLoopback() && p.Addr().IsLoopback() }
		if !bind.IsUnspecified() && !slices.ContainsFunc(n.prefixes, own) {
			continue
		}
		for _, six := range []bool{false, true} {
			if slices.ContainsFunc(n.prefixes, func(p netip.Prefix) bool { return p.Addr().Is6() == six }) {
				out[ifaceKey{i.Index, six}] = n
			}
		}
	}
	return out
}

// records returns the address records of the services' host.
func (n network) records(host string, bind netip.Addr) (out []record) {
	if !bind.IsUnspecified() {
		return []record{address(host, bind)}
	}
	for _, p := range n.prefixes {
		if a := p.Addr(); a.Is4() || bind.Is6() {
			out = append(out, address(host, a))
		}
	}
	return out
}

func (s *socket) same(n network) bool {
	return s.network.name == n.name && slices.Equal(s.network.prefixes, n.prefixes) && s.faults.Load() < readFaults
}

// open opens the socket for an interface and IP version.
func open(at ifaceKey, n network) (*socket, error) {
	ifi := &net.Interface{Index: at.index, Name: n.name}
	s := &socket{network: n, group: group4}
	listen := listen4
	if at.six {
		s.group, listen = netip.AddrPortFrom(group6.Addr().WithZone(n.name), Port), listen6
	}
	var err error
	if s.conn, err = listen(ifi); err != nil {
		return nil, err
	}
	_ = s.conn.SetReadBuffer(readBuffer) // the system's limit may be lower
	err = join(s.conn, ifi, at.six)
	if err == nil && !at.six {
		s.decoy, err = decoy(ifi)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *socket) close() error {
	err := s.conn.Close()
	if s.decoy != nil {
		err = errors.Join(err, s.decoy.Close())
	}
	return err
}

// join joins the multicast group on the interface and sets the options for sending.
func join(conn *net.UDPConn, ifi *net.Interface, six bool) error {
	if six {
		p := ipv6.NewPacketConn(conn)
		_ = p.SetHopLimit(hops)
		return errors.Join(p.JoinGroup(ifi, &net.UDPAddr{IP: group6.Addr().AsSlice()}), p.SetMulticastInterface(ifi),
			p.SetMulticastHopLimit(hops), p.SetMulticastLoopback(true))
	}
	p := ipv4.NewPacketConn(conn)
	_ = p.SetTTL(hops)
	return errors.Join(p.JoinGroup(ifi, &net.UDPAddr{IP: group4.Addr().AsSlice()}), p.SetMulticastInterface(ifi),
		p.SetMulticastTTL(hops), p.SetMulticastLoopback(true))
}

func (s *socket) send(message []byte) { s.sendTo(message, s.group) }

// sendTo sends a message. Errors are ignored, since peers repeat their questions.
func (s *socket) sendTo(message []byte, to netip.AddrPort) {
	_ = s.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, _ = s.conn.WriteToUDPAddrPort(message, to)
}

// failed counts a failed read and reports whether the socket must be replaced, which refresh does.
func (s *socket) failed(err error) bool {
	return errors.Is(err, net.ErrClosed) || s.faults.Add(1) >= readFaults
}
