package bots

import (
	"context"
	"net"
	"syscall"
	"time"
)

// dialFor connects for a bot. The address of its own is in a network of its game.
func (r *run) dialFor(ctx context.Context, p *player, addr string) (net.Conn, error) {
	block := 1
	if p.g.run.opts.Watch {
		block = 129 // nobody plays there
	}
	own := net.IPv4(127, byte(block+p.g.number>>8), byte(p.g.number), byte(p.seat+1))
	if p.conduct.NeverRead {
		return r.dialFrom(ctx, own, addr, smallReceiveBuffer)
	}
	return r.dialFrom(ctx, own, addr, nil)
}

// dialFrom connects, from the address own if Options.OwnAddresses is set.
func (r *run) dialFrom(ctx context.Context, own net.IP, addr string, control func(string, string, syscall.RawConn) error) (net.Conn, error) {
	r.dial <- struct{}{}
	defer func() { <-r.dial }()
	dialer := net.Dialer{Timeout: 10 * time.Second, Control: control}
	if r.opts.OwnAddresses {
		dialer.LocalAddr = &net.TCPAddr{IP: own}
	}
	c, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil || r.opts.RoundTrip == 0 {
		return c, err
	}
	return far(c, r.opts.RoundTrip/2)
}
