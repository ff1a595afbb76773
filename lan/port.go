package lan

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/rs/zerolog"
)

const (
	// writeTimeout keeps a full socket buffer from delaying the other sockets.
	writeTimeout = 200 * time.Millisecond
	// readFaults is how many reads may fail in a row before the socket is
	// replaced: some systems report an earlier answer that was rejected that way.
	readFaults = 16
	// datagramSize is more than any search; a longer datagram is cut and does not parse.
	datagramSize = 2048
	// readBuffer is how many bytes the system keeps while the reader is busy: 50 ms of
	// 50,000 datagrams a second.
	readBuffer = 1 << 20
)

// port is a UDP port on which searches are awaited.
type port struct {
	bind   netip.Addr
	number uint16       // 0 for one that the system chooses
	conn   *net.UDPConn // nil while it cannot be opened; written under Advertiser.mu
	// answerPort is set for a port on a broadcast address, which only receives: the
	// port that sends its answers.
	answerPort *port
	// broadcasts is set once the ports on broadcast addresses were opened that send by this
	// one. Once this port has a reader, only that reads and writes it.
	broadcasts bool
	alone      bool // no other program shares the port
	tried      bool
}

// open opens the socket of the port.
func (p *port) open() (*net.UDPConn, error) {
	if p.alone {
		return listenAlone(p.bind, p.number)
	}
	return bindPort(p.bind, p.number)
}

// openPorts tries every port once. If none can be opened, announcements are sent
// from a port that the system chooses.
func (a *Advertiser) openPorts() error {
	held := 0
	for _, n := range a.opts.Ports {
		p := &port{bind: a.opts.Bind, number: n}
		a.ports = append(a.ports, p)
		conn, err := bindPort(p.bind, n)
		if err != nil {
			a.logPort(zerolog.WarnLevel, p).Err(err).Msg("lobbies are announced, but this host cannot hear LAN searches on this UDP port: " +
				"close the program that uses it, or set lan.port; trying again")
			continue
		}
		p.conn = conn
		held++
		a.logPort(zerolog.DebugLevel, p).Msg("listening for LAN searches")
		a.ports = append(a.ports, a.broadcastPorts(p, conn)...)
	}
	if held > 0 {
		return nil
	}
	conn, err := bindPort(a.opts.Bind, 0)
	if err != nil {
		return fmt.Errorf("lan: no UDP socket to announce from: %w", err)
	}
	a.ports = append(a.ports, &port{bind: a.opts.Bind, conn: conn})
	return nil
}

// broadcastPorts opens sockets on the broadcast addresses, for a port that is
// bound to one address and does not receive broadcasts on Linux. Systems that refuse
// this deliver broadcasts to the port itself (Windows) or not at all; clients then
// learn of lobbies from announcements.
func (a *Advertiser) broadcastPorts(main *port, of *net.UDPConn) (opened []*port) {
	if main.broadcasts || main.answerPort != nil || main.bind.IsUnspecified() {
		return nil
	}
	main.broadcasts = true
	for _, addr := range broadcastsFor(main.bind) {
		listener := &port{bind: addr, number: localAddr(of).Port(), answerPort: main}
		conn, err := bindPort(listener.bind, listener.number)
		if err != nil {
			a.logPort(zerolog.DebugLevel, listener).Err(err).Msg("cannot hear broadcast searches")
			continue
		}
		listener.conn = conn
		opened = append(opened, listener)
	}
	return opened
}

// broadcastsFor are the broadcast addresses of an address's network, and the limited
// broadcast unless the address is loopback.
func broadcastsFor(addr netip.Addr) (out []netip.Addr) {
	if !addr.IsLoopback() {
		out = append(out, limitedBroadcast)
	}
	return append(out, broadcasts(slices.DeleteFunc(interfacePrefixes(0), func(p netip.Prefix) bool { return !p.Contains(addr) }))...)
}

// serve reads one port until Shutdown, and opens its socket again when it fails.
func (a *Advertiser) serve(p *port) {
	for {
		if p.conn == nil && !a.reopen(p) {
			return
		}
		err := a.read(p)
		if !a.drop(p) {
			return
		}
		a.logPort(zerolog.WarnLevel, p).Err(err).Msg("LAN socket failed; trying again")
	}
}

// reopen retries until the port can be opened; false means Shutdown.
func (a *Advertiser) reopen(p *port) bool {
	for wait := a.firstWait(p); ; wait = a.opts.retry {
		select {
		case <-a.done:
			return false
		case <-time.After(wait):
		}
		conn, err := p.open()
		if err != nil {
			if wait == 0 {
				a.logPort(zerolog.InfoLevel, p).Err(err).Msg("another program holds the UDP port on which clients of 3.0 search: " +
					"those on this machine and at lan.targets are told of the lobbies each second, others cannot find them; trying again")
			}
			continue // else it was logged when the port was lost
		}
		more := a.broadcastPorts(p, conn) // those of a port that was busy at the start
		a.mu.Lock()
		p.conn = conn
		a.ports = append(a.ports, more...)
		stopped := a.stopped
		a.mu.Unlock()
		if stopped {
			a.closePorts() // again, with these
			return false
		}
		for _, l := range more {
			a.readers.Go(func() { a.serve(l) }) // ends when Shutdown closes its socket
		}
		a.logPort(zerolog.InfoLevel, p).Msg("listening for LAN searches again")
		return true
	}
}

// firstWait is the time before a port without a socket is tried: none for one that has never been tried.
func (a *Advertiser) firstWait(p *port) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.alone && !p.tried {
		p.tried = true
		return 0
	}
	return a.opts.retry
}

// drop closes a socket; false means Shutdown.
func (a *Advertiser) drop(p *port) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.conn != nil {
		p.conn.Close()
		p.conn = nil
	}
	return !a.stopped
}

// read handles datagrams until the socket is closed or keeps failing.
func (a *Advertiser) read(p *port) error {
	buf, control := make([]byte, datagramSize), make([]byte, destinationSize)
	for faults := 0; ; {
		size, n, from, err := readFrom(p.conn, buf, control)
		switch {
		case err == nil:
			faults = 0
			asker := caller{port: p, addr: netip.AddrPortFrom(from.Addr().Unmap(), from.Port())}
			if p.bind.IsUnspecified() {
				asker.control = control[:n] // answer from the address that was asked
			}
			a.handle(buf[:size], asker)
		case errors.Is(err, net.ErrClosed), faults >= readFaults:
			return err
		default:
			faults++
		}
	}
}

func (a *Advertiser) closePorts() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.ports {
		if p.conn != nil {
			p.conn.Close()
		}
	}
}

func (a *Advertiser) logPort(level zerolog.Level, p *port) *zerolog.Event {
	return a.opts.Log.WithLevel(level).Stringer("bind", p.bind).Uint16("port", p.number)
}

// bindPort is bind for a port on which searches are answered.
func bindPort(addr netip.Addr, number uint16) (*net.UDPConn, error) {
	conn, err := bind(addr, number)
	if err == nil {
		searchesOnly(conn)
	}
	return conn, err
}

// bind opens a UDP socket that shares its port with a Warcraft III client on
// the same machine. Go lets every UDP socket broadcast.
func bind(addr netip.Addr, number uint16) (*net.UDPConn, error) {
	conn, err := listenUDP(addr, number, shareAddr)
	if errors.Is(err, syscall.EADDRINUSE) {
		conn, err = listenUDP(addr, number, sharePort)
	}
	if err != nil {
		return nil, fmt.Errorf("UDP port %d cannot be had: %w", number, err)
	}
	_ = conn.SetReadBuffer(readBuffer) // the system's limit may be lower
	return conn, nil
}

func listenUDP(addr netip.Addr, number uint16, share func(string, string, syscall.RawConn) error) (*net.UDPConn, error) {
	cfg := net.ListenConfig{Control: share}
	pc, err := cfg.ListenPacket(context.Background(), "udp4", netip.AddrPortFrom(addr, number).String())
	if err != nil {
		return nil, err
	}
	return pc.(*net.UDPConn), nil
}

func localAddr(conn *net.UDPConn) netip.AddrPort {
	ap := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}
