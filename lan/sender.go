package lan

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"
)

var errNoSocket = errors.New("no UDP socket is open")

// sender puts announcements on the network. Only the announcing goroutine uses
// it. A failing address is logged when it starts to fail and when it works
// again, not each time.
type sender struct {
	a      *Advertiser
	to     []netip.AddrPort
	failed []bool
}

func newSender(a *Advertiser) *sender {
	to := slices.Concat(a.opts.Broadcast, a.opts.Targets)
	return &sender{a: a, to: to, failed: make([]bool, len(to))}
}

func (s *sender) send(datagrams [][]byte) {
	if len(datagrams) == 0 {
		return
	}
	conn := s.a.firstConn()
	for i, to := range s.to {
		s.note(i, sendAll(conn, to, datagrams))
	}
}

// note logs a change of an address's state.
func (s *sender) note(i int, err error) {
	log := s.a.opts.Log
	switch {
	case err != nil && !s.failed[i]:
		log.Warn().Err(err).Stringer("addr", s.to[i]).Msg("LAN announcements do not get out; trying again")
	case err == nil && s.failed[i]:
		log.Info().Stringer("addr", s.to[i]).Msg("LAN announcements get out again")
	}
	s.failed[i] = err != nil
}

// firstConn is the first open port in the order of the options: clients send
// their searches to the port that announcements come from.
func (a *Advertiser) firstConn() *net.UDPConn {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.ports {
		if p.conn != nil {
			return p.conn
		}
	}
	return nil
}

// sendAll stops at the first failure: the rest would fail alike.
func sendAll(conn *net.UDPConn, to netip.AddrPort, datagrams [][]byte) error {
	if conn == nil {
		return errNoSocket
	}
	for _, d := range datagrams {
		if err := conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
			return err
		}
		if _, err := conn.WriteToUDPAddrPort(d, to); err != nil {
			return err
		}
	}
	return nil
}
