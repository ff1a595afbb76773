package bots

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	"w3host/lan/carry"
	gproxy "w3host/protocol/gproxy/client"
)

// proxyTick is how often a proxy checks its timers and tries to reconnect.
const proxyTick = 40 * time.Millisecond

// Proxy is a GProxy++ reconnect proxy between a game client and a host, whose connection to the host can be cut on
// purpose.
type Proxy struct {
	*carry.Carrier
	cuts   ProxyConduct
	nextAt time.Duration // time of the next cut; 0: not planned yet
	cutAt  int           // bytes until the cut; -1: none is due
}

var errCut = errors.New("the connection is cut")

// StartProxy starts a proxy between a game client and a host and takes ownership of both connections. dial opens a new
// connection to the port that the host has offered; it must return within 10 s.
func StartProxy(client carry.Client, host net.Conn, dial func(port uint16) (net.Conn, error), core gproxy.Proxy, cuts ProxyConduct) *Proxy {
	p := &Proxy{cuts: cuts, cutAt: -1}
	p.Carrier = carry.New(client, host, carry.Options{Proxy: core, Dial: dial, Every: proxyTick, Write: p.write, Changed: p.planCut})
	p.Start()
	return p
}

// Cut breaks the connection to the host after atByte more bytes have been sent, and reconnects once lasting has passed.
func (p *Proxy) Cut(lasting time.Duration, atByte int) {
	p.Do(func(now time.Duration) { p.cut(now+lasting, atByte) })
}

func (p *Proxy) cut(until time.Duration, atByte int) {
	p.NotBefore(until)
	if p.cutAt = atByte; atByte == 0 {
		p.cutAt = -1
		p.Lose()
	}
}

// planCut cuts the connection when the next planned cut is due.
func (p *Proxy) planCut(now time.Duration, core *gproxy.Proxy) {
	if every := p.cuts.CutEvery; every > 0 && core.CanReturn() && core.State == gproxy.Linked && now >= p.nextAt {
		if p.nextAt > 0 {
			p.cut(now+p.cuts.CutFor, p.cuts.CutAtByte)
		}
		p.nextAt = now + every
	}
}

// write sends bytes to the host. If a cut is planned, it breaks the connection after cutAt more
// bytes.
func (p *Proxy) write(host net.Conn, b []byte) error {
	if p.cutAt < 0 || len(b) < p.cutAt {
		if p.cutAt > 0 {
			p.cutAt -= len(b)
		}
		_, err := host.Write(b)
		return err
	}
	_, _ = host.Write(b[:p.cutAt])
	p.cutAt = -1
	time.Sleep(time.Millisecond) // a reset discards bytes that the kernel has not sent yet
	return errCut
}

// throughProxy puts the bot's proxy in front of its connection, if it has one, and returns the connection that the bot
// uses.
func (r *run) throughProxy(ctx context.Context, p *player, l lobby, c net.Conn) (net.Conn, error) {
	conduct := p.conduct.Proxy
	if conduct == nil {
		return c, nil
	}
	host, _, err := net.SplitHostPort(l.addr)
	if err != nil {
		return c, err
	}
	dial := func(port uint16) (net.Conn, error) {
		return r.dialFor(ctx, p, net.JoinHostPort(host, strconv.Itoa(int(port))))
	}
	var core gproxy.Proxy
	if l.proxies { // otherwise the proxy never asks for the extension
		core.Version = 1
		if conduct.Extended {
			core.Version = 2
		}
	}
	game, near, err := r.network(nil).Pair()
	if err != nil {
		return c, err
	}
	p.proxy = StartProxy(near, c, dial, core, *conduct)
	return game, nil
}
