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
	// readFaults is the number of consecutive failed reads after which the socket is replaced. Some systems report a
	// rejected answer as a failed read.
	readFaults = 16
	// datagramSize is larger than any search; longer datagrams are truncated and do not parse.
	datagramSize = 2048
	// readBuffer is the size in bytes of the receive buffer: 50 ms of 50,000 datagrams per second.
	readBuffer = 1 << 20
)

// port is a UDP port on which the host listens for searches.
type port struct {
	bind   netip.Addr
	number uint16       // 0 if the system chooses it
	conn   *net.UDPConn // nil while it cannot be opened; written under Advertiser.mu
	// answerPort is set for a port on a broadcast address, which only receives: it is the port that sends its answers.
	answerPort *port
	// broadcasts is set when the ports on broadcast addresses were opened for this port. Once this port has a reader,
	// only the reader accesses it.
	broadcasts bool
	alone      bool // not shared with other programs
	tried      bool
}

func (p *port) open() (*net.UDPConn, error) {
	if p.alone {
		return listenAlone(p.bind, p.number)
	}
	return bindPort(p.bind, p.number)
}

// openPorts tries to open every port once. If none can be opened, announcements are sent from a port chosen by the
// system.
func (a *Advertiser) openPorts() error {
	held := 0
	for _, n := range a.opts.Ports {
		p := &port{bind: a.opts.Bind, number: n}
		a.ports = append(a.ports, p)
		conn, err := bindPort(p.bind, n)
		if err != nil {
			a.logPort(zerolog.WarnLevel, p).Err(err).Msg("cannot listen for LAN searches on this UDP port; lobbies are still announced: " +
				"close the program that uses the port, or set lan.port; retrying")
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
		return fmt.Errorf("lan: cannot open a UDP socket for announcements: %w", err)
	}
	a.ports = append(a.ports, &port{bind: a.opts.Bind, conn: conn})
	return nil
}

// broadcastPorts opens sockets on the broadcast addresses for a port bound to one address, which on Linux does not
// receive broadcasts. Systems that refuse this deliver broadcasts to the port itself (Windows) or not at all; then
// clients learn of lobbies only from announcements.
func (a *Advertiser) broadcastPorts(main *port, of *net.UDPConn) (opened []*port) {
	if main.broadcasts || main.answerPort != nil || main.bind.IsUnspecified() {
		return nil
	}
	main.broadcasts = true
	for _, addr := range broadcastsFor(main.bind) {
		listener := &port{bind: addr, number: localAddr(of).Port(), answerPort: main}
		conn, err := bindPort(listener.bind, listener.number)
		if err != nil {
			a.logPort(zerolog.DebugLevel, listener).Err(err).Msg("cannot receive broadcast searches")
			continue
		}
		listener.conn = conn
		opened = append(opened, listener)
	}
	return opened
}

// broadcastsFor returns the broadcast addresses of an address's networks, and the limited broadcast address unless the
// address is loopback.
func broadcastsFor(addr netip.Addr) (out []netip.Addr) {
	if !addr.IsLoopback() {
		out = append(out, limitedBroadcast)
	}
	return append(out, broadcasts(slices.DeleteFunc(interfacePrefixes(0), func(p netip.Prefix) bool { return !p.Contains(addr) }))...)
}

// serve reads one port until Shutdown and reopens its socket after failures.
func (a *Advertiser) serve(p *port) {
	for {
		if p.conn == nil && !a.reopen(p) {
			return
		}
		err := a.read(p)
		if !a.drop(p) {
			return
		}
		a.logPort(zerolog.WarnLevel, p).Err(err).Msg("LAN socket failed; retrying")
	}
}

// reopen retries until the port can be opened. It returns false at Shutdown.
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
			continue // logged when the port was lost
		}
		more := a.broadcastPorts(p, conn) // needed if the port was busy at the start
		a.mu.Lock()
		p.conn = conn
		a.ports = append(a.ports, more...)
		stopped := a.stopped
		a.mu.Unlock()
		if stopped {
			a.closePorts() // again, including the new ones
			return false
		}
		for _, l := range more {
			a.readers.Go(func() { a.serve(l) }) // ends when Shutdown closes its socket
		}
		a.logPort(zerolog.InfoLevel, p).Msg("listening for LAN searches again")
		return true
	}
}

// firstWait returns how long to wait before opening a port: not at all the first time.
func (a *Advertiser) firstWait(p *port) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.alone && !p.tried {
		p.tried = true
		return 0
	}
	return a.opts.retry
}

// drop closes the socket of a port. It returns false at Shutdown.
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
				asker.control = control[:n] // answer from the queried address
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

// bindPort is bind for a port on which searches are answered; other datagrams are filtered.
func bindPort(addr netip.Addr, number uint16) (*net.UDPConn, error) {
	conn, err := bind(addr, number)
	if err == nil {
		searchesOnly(conn)
	}
	return conn, err
}

// bind opens a UDP socket whose port can be shared with a Warcraft III client on the same machine. Go enables broadcasts on
// every UDP socket.
func bind(addr netip.Addr, number uint16) (*net.UDPConn, error) {
	conn, err := listenUDP(addr, number, shareAddr)
	if errors.Is(err, syscall.EADDRINUSE) {
		conn, err = listenUDP(addr, number, sharePort)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open UDP port %d: %w", number, err)
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
