package testkit

import (
	"context"
	"net"
	"net/netip"

	"w3host/internal/simnet"
	"w3host/lan/carry"
)

// Memory dials on an in-memory network, over one kind of line.
type Memory struct {
	*simnet.Net
	Line simnet.Line // used in both directions
}

// Dial connects to host:port from an address; the zero address means 127.0.0.1.
func (m Memory) Dial(_ context.Context, from netip.Addr, to string) (net.Conn, error) {
	if !from.IsValid() {
		from = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	at, err := netip.ParseAddrPort(to)
	if err != nil {
		return nil, err
	}
	c, err := m.Net.Dial(from, at, m.Line, m.Line)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Pair returns the two ends of a connection without delay.
func (m Memory) Pair() (here, there carry.Client, err error) {
	here, there = m.Net.Pair(simnet.Line{}, simnet.Line{})
	return here, there, nil
}
