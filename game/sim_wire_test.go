package game

import (
	"fmt"
	"net/netip"
	"time"

	extension "w3host/protocol/gproxy"
	gproxy "w3host/protocol/gproxy/client"
	"w3host/protocol/w3gs"
)

// wire is the line of a player who sits behind a proxy: the host's side of it,
// the connections that carry it one after the other, and the proxy.
type wire struct {
	a       *actor
	proxy   gproxy.Proxy
	line    extension.Line
	key     uint32
	offered bool
	told    bool  // how long an extended proxy is waited for
	host    *conn // as the host sees it; nil: none
	own     *conn // as the proxy sees it
	fresh   bool  // a proxy's timer is under way
}

// conn is one TCP connection.
type conn struct {
	w      *wire
	link   LinkID
	broken bool
	left   [2]int // bytes that still arrive when it is broken, up and down
	at     [2]time.Duration
	rest   []byte // of a packet, at the host
	deaf   bool   // the host has ended it
	joined bool   // its first packet has come
}

const (
	up   = 0
	down = 1
)

func (c *crowd) newWire(a *actor) {
	a.wire = &wire{a: a, key: c.r.Uint32()}
	p := &a.wire.proxy
	p.Version, p.EmptyEvery, p.Silence = 1, c.reconnect.Wait/time.Duration(c.reconnect.Empties+1), c.reconnect.Silence
	if c.r.IntN(3) == 0 {
		p.Version = 2
	}
	a.wire.own = &conn{w: a.wire, link: a.link}
	a.wire.host = a.wire.own
}

// later does something that is no input.
func (c *crowd) later(d time.Duration, do func()) {
	c.put(later{at: c.now + d.Truncate(clock), do: do})
}

// fromClient gives the proxy what its client says.
func (w *wire) fromClient(c *crowd, frame []byte) {
	c.check(w, w.proxy.FromClient(frame))
	w.settle(c)
}

func (c *crowd) check(w *wire, err error) {
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("the proxy of %s: %w", w.a.name, err)
	}
}

// settle carries on what the proxy has to say, and what it wants.
func (w *wire) settle(c *crowd) {
	p := &w.proxy
	if len(p.ToClient) > 0 {
		b := p.ToClient
		p.ToClient = nil
		c.receive(w.a, b)
	}
	if len(p.ToHost) > 0 {
		c.transmit(w.own, up, p.ToHost)
		p.ToHost = nil
	}
	if p.State == gproxy.Lost && w.own != nil {
		w.own = nil
		c.later(time.Duration(c.r.IntN(4000))*time.Millisecond, func() { c.dial(w) })
	}
	if !w.fresh && p.Offered && p.State != gproxy.Over {
		w.fresh = true
		c.later(p.EmptyEvery/4, func() {
			w.fresh = false
			if p.Tick(c.now) {
				if w.own != nil {
					w.own.break_(c.r.IntN(100))
				}
				p.Broken()
			}
			w.settle(c)
		})
	}
}

// dial opens the next connection of a proxy.
func (c *crowd) dial(w *wire) {
	if w.proxy.State != gproxy.Lost || c.machineOver {
		return
	}
	c.lastID++
	w.own = &conn{w: w, link: c.lastID}
	c.conns[w.own.link] = w.own
	w.proxy.Connected(c.now)
	w.settle(c)
}

// break_ lets so many more bytes arrive on each side, and nothing behind them.
func (k *conn) break_(more int) {
	if !k.broken {
		k.broken, k.left = true, [2]int{more, more / 2}
	}
}

// cutWire breaks the connection at any byte. Each side may notice at once, later,
// or not at all.
func (c *crowd) cutWire(w *wire) {
	k := w.own
	if k == nil || k.broken {
		return
	}
	more := 0
	if c.r.IntN(2) == 0 {
		more = c.r.IntN(300)
	}
	k.break_(more)
	if c.r.IntN(4) > 0 {
		c.later(time.Duration(c.r.IntN(3000))*time.Millisecond, func() { c.hostLoses(k, "reset") })
	}
	if c.r.IntN(4) > 0 {
		c.later(time.Duration(c.r.IntN(3000))*time.Millisecond, func() { c.proxyLoses(k) })
	}
}

func (c *crowd) hostLoses(k *conn, why string) {
	if k.deaf {
		return
	}
	k.deaf = true
	if k.w.host == k {
		k.w.host = nil
	}
	c.ready = append(c.ready, Input{Kind: Lost, Link: k.link, Why: why})
}

func (c *crowd) proxyLoses(k *conn) {
	if k.w.own == k {
		k.break_(0)
		k.w.proxy.Broken()
		k.w.settle(c)
	}
}

// transmit puts bytes on a connection.
func (c *crowd) transmit(k *conn, way int, b []byte) {
	if k == nil || k.broken && way == up && k.left[way] == 0 {
		return
	}
	b = append([]byte(nil), b...)
	for len(b) > 0 { // TCP cuts where it likes
		n := min(len(b), 1+c.r.IntN(1500))
		part := b[:n]
		b = b[n:]
		k.at[way] = max(k.at[way], c.now+time.Duration(1+c.r.IntN(30))*time.Millisecond)
		c.put(later{at: k.at[way], do: func() { c.arrive(k, way, part) }})
	}
}

func (c *crowd) arrive(k *conn, way int, b []byte) {
	if k.broken {
		n := min(len(b), k.left[way])
		b, k.left[way] = b[:n], k.left[way]-n
		if n == 0 {
			return
		}
	}
	if way == down {
		if k.w.own == k {
			c.check(k.w, k.w.proxy.FromHost(c.now, b))
			k.w.settle(c)
		}
		return
	}
	if k.deaf {
		return
	}
	k.rest = append(k.rest, b...)
	for !k.deaf {
		frame, rest, err := extension.Next(k.rest, w3gs.MaxFrame)
		if err != nil {
			c.check(k.w, err)
			return
		}
		if frame == nil {
			return
		}
		k.rest = rest
		c.hostReads(k, frame)
	}
}

// hostReads is what package host does with a packet.
func (c *crowd) hostReads(k *conn, frame []byte) {
	w := k.w
	if frame[0] == extension.Magic {
		p, err := extension.Decode(frame)
		c.check(w, err)
		switch p := p.(type) {
		case extension.Init:
			c.ready = append(c.ready, Input{Kind: Proxy, Link: k.link})
		case extension.Extended:
			c.ready = append(c.ready, Input{Kind: Extended, Link: k.link})
		case extension.Count:
			c.check(w, w.line.Ack(p.Last))
			c.ready = append(c.ready, Input{Kind: Acked, Link: k.link})
		case extension.Reconnect:
			if _, err := w.line.Resume(p.Last); err != nil || p.Key != w.key {
				if w.own == k && !c.forfeited[w] { // not one of before that arrives late
					c.check(w, fmt.Errorf("count %d is refused: %v", p.Last, err))
				}
				c.transmit(k, down, extension.Reject{Reason: extension.Invalid}.AppendTo(nil))
				k.deaf = true
				return
			}
			k.joined = true
			c.ready = append(c.ready, Input{Kind: Resume, Link: k.link, PID: p.PID, Addr: w.a.addr()})
		}
		return
	}
	w.line.Got()
	f := w3gs.Frame(frame)
	p, err := w3gs.Decode(f, w3gs.FromClient)
	if err != nil {
		c.check(w, err)
		return
	}
	in := Input{Kind: Packet, Link: k.link, Packet: p}
	switch p := p.(type) {
	case *w3gs.ReqJoin:
		in = w.a.join
		k.joined = true
		c.conns[k.link] = k
	case *w3gs.OutgoingAction:
		in = Input{Kind: Action, Link: k.link, Data: append([]byte(nil), p.Data...)}
	case *w3gs.Keepalive:
		in = Input{Kind: Keepalive, Link: k.link, Sum: p.Checksum}
	}
	c.ready = append(c.ready, in)
}

// hostSends is what package host does with a packet for a seat.
func (c *crowd) hostSends(w *wire, frame []byte) {
	if !w.line.Send(frame) && !c.forfeited[w] {
		c.forfeited[w] = true
		c.ready = append(c.ready, Input{Kind: Forfeit, PID: w.a.pid, Why: "too much"})
	}
	if w.host != nil {
		c.transmit(w.host, down, frame)
	}
}

// carryOut is what package host does with an order about wires.
func (c *crowd) carryOut(op *Op) {
	switch op.Kind {
	case Seat:
		k := c.conns[op.Link]
		if k == nil || k.w.line.Keeps() != c.playing || !c.playing {
			return
		}
		w := k.w
		w.host = k
		missing, err := w.line.Resume(w.proxy.Got)
		c.check(w, err)
		c.transmit(k, down, extension.Count{ID: extension.OpReconnect, Last: w.line.Received()}.AppendTo(nil))
		c.transmit(k, down, missing)
	case Reply:
		if k := c.conns[op.Link]; k != nil {
			c.transmit(k, down, op.Frame)
		}
	case Close, Cut:
		k := c.conns[op.Link]
		if k == nil || k.deaf {
			return
		}
		if op.Kind == Cut {
			c.hostLoses(k, op.Why)
			return
		}
		k.deaf = true
		if k.w.host == k {
			k.w.host = nil
		}
		c.later(100*time.Millisecond, func() { c.proxyLoses(k) })
	case Offer:
		for pid := range op.To.All() {
			w := c.bySeat[pid].wire
			w.offered = true
			c.transmit(w.host, down, extension.Offer{Port: 1, PID: pid, Key: w.key, Empties: op.Empties}.AppendTo(nil))
			if w.proxy.Version >= 2 && !w.told {
				w.told = true
				c.transmit(w.host, down, extension.Extended{Seconds: 300}.AppendTo(nil))
			}
		}
	case Ack:
		for pid := range op.To.All() {
			if w := c.bySeat[pid].wire; w.host != nil {
				c.transmit(w.host, down, extension.Count{ID: extension.OpAck, Last: w.line.Received()}.AppendTo(nil))
			}
		}
	}
}

func (a *actor) addr() netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(a.link)}), 6000)
}

// saw adds to what a client has seen of the game: turns, with how many empty
// ones came before, and leaves. A proxy may feed an empty action before a leave
// that others see first, so that only their number has its place.
func (c *crowd) saw(a *actor, mark uint32) {
	if i := len(a.seen); i < len(c.history) && c.history[i] != mark && c.err == nil {
		c.err = fmt.Errorf("at place %d %s (pid %d) sees %08x, others %08x", i, a.name, a.pid, mark, c.history[i])
	} else if i == len(c.history) {
		c.history = append(c.history, mark)
	}
	a.seen = append(a.seen, mark)
}
