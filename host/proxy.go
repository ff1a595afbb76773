package host

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"w3host/game"
	"w3host/host/loop"
	"w3host/host/survive"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// seatReturns is how often one player may reconnect at once; another reconnect is allowed every seatReturnsEvery. Each one
// is recorded, and sends again the packets that were kept for the player.
const (
	seatReturns      = 30
	seatReturnsEvery = 2 * time.Second
)

// extension handles a packet of the GProxy++ protocol (0xF8).
func (l *link) extension(frame []byte) error {
	packet, err := gproxy.Decode(frame)
	if !l.packets.Allow(false, l.shard.Now()) {
		return loop.ErrFlood
	}
	switch {
	case l.shard.opts.Game.Reconnect.Wait == 0, errors.Is(err, gproxy.ErrOp), l.proxy == nil && l.game.playing: // too late for a proxy
		l.skipped++
		return nil
	case err != nil:
		return err
	}
	init, meets := packet.(gproxy.Init)
	switch {
	case meets:
		if l.proxy == nil {
			l.proxy = l.newProxy(init.Version)
			l.noteProxy()
		}
		l.report(game.Proxy)
		return nil
	case l.proxy == nil:
		l.skipped++
		return nil
	case l.stream.Begun():
		_, changes := packet.(gproxy.ChangeKey)
		l.stream.Extension(l.Taken(), frame, !changes)
	}
	answer, err := l.proxy.Take(packet, &l.line)
	if err != nil {
		return fmt.Errorf("%w: %w", errBadCount, err)
	}
	if answer != nil {
		l.Queue(answer)
	}
	switch packet.(type) {
	case gproxy.Count:
		l.report(game.Acked)
	case gproxy.Extended:
		if l.proxy.Version >= survive.FirstExtended {
			l.report(game.Extended)
		}
	}
	return nil
}

// report gives the machine an input about the proxy.
func (l *link) report(what game.Kind) {
	in := game.Input{Kind: what, Link: l.id}
	if l.stream.Begun() {
		in.Bytes = l.stream.Count(l.Taken())
	}
	l.game.step(&in)
}

func (l *link) newProxy(version uint32) *proxy {
	return &proxy{Proxy: survive.Proxy{
		Version: version, Key: randomU32(), Port: l.shard.returnPort(l.realm),
		Most: l.shard.opts.Limits.OutQueue / 2, // a new link must be able to queue all of it
	}}
}

// noteProxy writes a proxy's key and port to the ledger.
func (l *link) noteProxy() {
	if l.stream.Begun() && l.proxy != nil {
		l.stream.Proxy(&l.proxy.Proxy, &l.line)
	}
}

// resume gives the new connection of a reconnecting player to the machine.
func (g *Game) resume(l *link, back *gproxy.Reconnect, p *person) {
	g.lastID++
	l.game, l.id, l.person, l.last = g, g.lastID, p, back.Last
	g.links[l.id] = l
	g.step(&game.Input{Kind: game.Resume, Link: l.id, PID: back.PID, Addr: l.Addr, Last: back.Last})
}

// goOn starts a link that has got its seat. A proxy that reconnects is told how many of its packets have arrived, and is
// sent the packets that it lacks.
func (l *link) goOn() {
	if l.proxy == nil {
		return
	}
	missing, err := l.line.Resume(l.last)
	if err != nil {
		l.Cut(err)
		return
	}
	l.shard.ReadInTime(l.game.group, l.Conn)
	l.Queue(gproxy.Count{ID: gproxy.OpReconnect, Last: l.line.Received()}.AppendTo(nil))
	l.Queue(missing)
}

// send sends a packet to a seat: to its link, or to the packets kept for the next link.
func (g *Game) send(pid uint8, frame []byte) {
	if l := g.seats[pid]; l != nil {
		l.send(frame)
	} else if p := g.proxies[pid]; p != nil && !p.line.Send(frame) {
		g.forfeit(pid)
	}
}

// offer tells proxies how to reconnect.
func (g *Game) offer(op *game.Op) {
	for pid := range op.To.All() {
		l := g.seats[pid]
		if l == nil || l.proxy == nil {
			continue
		}
		g.proxies[pid] = l.person
		l.Queue(l.proxy.Offer(op, pid, g.id, g.extendedWait))
	}
}

// acknowledge tells proxies how many of their packets have arrived.
func (g *Game) acknowledge(to w3gs.PIDs) {
	for pid := range to.All() {
		if l := g.seats[pid]; l != nil && l.proxy != nil {
			l.Queue(gproxy.Count{ID: gproxy.OpAck, Last: l.line.Received()}.AppendTo(nil))
		}
	}
}

// returnPort returns the port for reconnects of a player who has joined from a realm's list, or from the LAN: the port for
// reconnects if there is one, otherwise the port that they joined at.
func (s *shard) returnPort(realm string) uint16 {
	l := s.opts.Listeners
	if l.Returns != nil {
		return l.ReturnPort()
	}
	return cmp.Or(s.opts.Realms.Port(realm), l.Addr().Port())
}
