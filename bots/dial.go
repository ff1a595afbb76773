package bots

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"

	"w3host/lan/carry"
)

// dialFor connects a bot to addr. With Options.OwnAddresses the bot gets its own 127.x.y.z, with one network per game.
func (r *run) dialFor(ctx context.Context, p *player, addr string) (net.Conn, error) {
	block := 1
	if p.g.run.opts.Watch {
		block = 129 // a network in which no playing bot has an address
	}
	own := netip.AddrFrom4([4]byte{127, byte(block + p.g.number>>8), byte(p.g.number), byte(p.seat + 1)})
	if p.conduct.NeverRead {
		return r.dialFrom(ctx, own, addr, smallReceiveBuffer)
	}
	return r.dialFrom(ctx, own, addr, nil)
}

// dialFrom connects to addr, with own as the local address if Options.OwnAddresses is set. It waits while maxDialing
// attempts are under way. With Options.RoundTrip the connection is delayed.
func (r *run) dialFrom(ctx context.Context, own netip.Addr, addr string, control func(string, string, syscall.RawConn) error) (net.Conn, error) {
	r.dial <- struct{}{}
	defer func() { <-r.dial }()
	if !r.opts.OwnAddresses {
		own = netip.Addr{}
	}
	on := r.network(control)
	c, err := on.Dial(ctx, own, addr)
	if err != nil || r.opts.RoundTrip == 0 {
		return c, err
	}
	return far(on, c, r.opts.RoundTrip/2)
}

// network returns the Network that opens connections. The operating system's calls control before each one.
func (r *run) network(control func(string, string, syscall.RawConn) error) Network {
	if r.opts.Network != nil {
		return r.opts.Network
	}
	return system{control}
}

// system is the Network of the operating system.
type system struct {
	control func(string, string, syscall.RawConn) error
}

func (s system) Dial(ctx context.Context, from netip.Addr, to string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 10 * time.Second, Control: s.control}
	if from.IsValid() {
		dialer.LocalAddr = &net.TCPAddr{IP: from.AsSlice()}
	}
	return dialer.DialContext(ctx, "tcp", to)
}

// Pair returns both ends of a TCP connection from this process to itself.
func (system) Pair() (here, there carry.Client, err error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	dialled, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	accepted, err := l.Accept()
	if err != nil {
		return nil, nil, errors.Join(err, dialled.Close())
	}
	return dialled.(*net.TCPConn), accepted.(*net.TCPConn), nil
}
