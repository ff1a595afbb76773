package lan

import (
	"errors"
	"net"
	"net/netip"
	"slices"
)

var (
	errNoSocket  = errors.New("no UDP socket is open")
	errNoNetwork = errors.New("no interface with broadcast is up")
)

// sender sends announcements. It is used only by the announcing goroutine. It logs when an address starts to fail and
// when it works again.
type sender struct {
	a      *Advertiser
	failed map[netip.AddrPort]bool
	unread *net.UDPConn // separate socket for ports that may be closed, since some systems report closed ports to the reader
}

// send sends the datagrams that are due.
func (s *sender) send(p post) {
	conn, o := s.a.firstConn(), &s.a.opts
	for to, datagrams := range p.single {
		s.note(to, sendAll(conn, to, nil, datagrams))
	}
	if len(p.local) > 0 {
		s.sendLocal(p.local)
	}
	all := p.all
	if len(all) == 0 {
		return
	}
	for _, to := range o.Broadcast {
		err := sendAll(conn, to, nil, all)
		if err != nil && to.Addr() == limitedBroadcast && sendEach(conn, to.Port(), all) {
			err = nil
		}
		s.note(to, err)
	}
	if o.InterfacePort != 0 {
		var err error
		if !sendEach(conn, o.InterfacePort, all) {
			err = errNoNetwork
		}
		s.note(netip.AddrPortFrom(limitedBroadcast, o.InterfacePort), err)
	}
	for _, to := range o.Targets {
		s.note(to, sendAll(conn, to, nil, slices.Concat(all, p.push)))
	}
}

// sendLocal sends to the ports of 3.0 clients. Most of them are closed, so errors are logged only for the first port of
// this machine.
func (s *sender) sendLocal(datagrams [][]byte) {
	o := &s.a.opts
	if s.unread == nil {
		conn, err := listenAlone(o.Bind, 0)
		if err != nil {
			s.note(netip.AddrPortFrom(o.Bind, LocalPort), err)
			return
		}
		s.unread = conn
	}
	for i, to := range o.localTargets() {
		if err := sendAll(s.unread, to, nil, datagrams); i == 0 {
			s.note(to, err)
		}
	}
}

func (s *sender) close() {
	if s.unread != nil {
		_ = s.unread.Close()
	}
}

// sendEach broadcasts to the current network of each interface and reports whether anything was sent.
func sendEach(conn *net.UDPConn, port uint16, datagrams [][]byte) (sent bool) {
	for _, addr := range InterfaceBroadcasts() {
		sent = sendAll(conn, netip.AddrPortFrom(addr, port), nil, datagrams) == nil || sent
	}
	return sent
}

// note logs a change in the state of an address.
func (s *sender) note(to netip.AddrPort, err error) {
	log := s.a.opts.Log
	switch {
	case err != nil && !s.failed[to]:
		log.Warn().Err(err).Stringer("addr", to).Msg("cannot send LAN announcements; retrying")
	case err == nil && s.failed[to]:
		log.Info().Stringer("addr", to).Msg("LAN announcements can be sent again")
	}
	s.failed[to] = err != nil
}

// firstConn returns the first open port in the order of the options. Clients send their searches to the port from which
// announcements come.
func (a *Advertiser) firstConn() *net.UDPConn {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.ports {
		if p.conn != nil && p.answerPort == nil {
			return p.conn
		}
	}
	return nil
}

// sendAll sends datagrams and stops at the first error.
func sendAll(conn *net.UDPConn, to netip.AddrPort, control []byte, datagrams [][]byte) error {
	if conn == nil {
		return errNoSocket
	}
	for _, d := range datagrams {
		if err := writeTo(conn, d, control, to); err != nil {
			return err
		}
	}
	return nil
}
