package host

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"w3host/game"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// firstExtended is the first version of a proxy that knows SUPPORT_EXTENDED.
const firstExtended = 2

// seatReturns is how often one player may come back at once; another time comes
// every seatReturnsEvery. Each return is stored, and what is kept for the player is
// sent again.
const (
	seatReturns      = 30
	seatReturnsEvery = 2 * time.Second
)

// extension takes a packet of the 0xF8 kind.
func (l *link) extension(frame []byte) error {
	packet, err := gproxy.Decode(frame)
	if err := l.meter.count(0, l.shard.Now()); err != nil {
		return err
	}
	switch {
	case l.shard.opts.Game.Reconnect.Wait == 0, l.returning, errors.Is(err, gproxy.ErrOp): // in a game that runs it is too late for a proxy
		l.skipped++
		return nil
	case err != nil:
		return err
	}
	if p, ok := packet.(gproxy.Init); ok && l.stream == nil { // else the game could not be made again
		l.proxy = cmp.Or(l.proxy, &proxy{
			version: p.Version, key: randomU32(), returns: rate.NewLimiter(rate.Every(seatReturnsEvery), seatReturns),
		})
	} else if l.proxy == nil {
		l.skipped++
		return nil
	}
	switch p := packet.(type) {
	case gproxy.Init:
		l.game.step(&game.Input{Kind: game.Proxy, Link: l.id})
	case gproxy.Count:
		if err := l.line.Ack(p.Last); err != nil {
			return fmt.Errorf("%w: acknowledged %d: %w", errBadCount, p.Last, err)
		}
		l.game.step(&game.Input{Kind: game.Acked, Link: l.id})
	case gproxy.Extended:
		if l.proxy.version >= firstExtended {
			l.game.step(&game.Input{Kind: game.Extended, Link: l.id})
		}
	case gproxy.ChangeKey:
		l.proxy.key = p.Key
		l.Queue(p.AppendTo(nil))
	}
	return nil
}

// resume hands the new connection of a player to the machine.
func (g *Game) resume(l *link, back *gproxy.Reconnect, p *person) {
	g.lastID++
	l.game, l.id, l.person, l.last = g, g.lastID, p, back.Last
	g.links[l.id] = l
	g.step(&game.Input{Kind: game.Resume, Link: l.id, PID: back.PID, Addr: l.Addr})
}

// goOn begins a link that has a seat: one that came back is told what the host
// has, and sent again what it lacks.
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

// send gives a packet to a seat: to its link, or to those who wait for another.
func (g *Game) send(pid uint8, frame []byte) {
	if l := g.seats[pid]; l != nil {
		l.send(frame)
	} else if p := g.proxies[pid]; p != nil && !p.line.Send(frame) {
		g.forfeit(pid)
	}
}

// keep begins to keep what is sent to proxies.
func (g *Game) keep() {
	for _, p := range g.proxies {
		if p != nil {
			p.line.Keep(g.shard.opts.Limits.OutQueue / 2) // a new link must be able to queue it
		}
	}
}

// offer sends proxies how they come back.
func (g *Game) offer(op *game.Op) {
	for pid := range op.To.All() {
		l := g.seats[pid]
		if l == nil || l.proxy == nil {
			continue
		}
		p := l.proxy
		g.proxies[pid] = l.person
		l.Queue(gproxy.Offer{Port: g.shard.returnPort(l.realm), PID: pid, Key: p.key, Empties: op.Empties}.AppendTo(nil))
		if p.version >= firstExtended && !p.extendedSent {
			p.extendedSent = true
			l.Queue(gproxy.Extended{Seconds: uint32(g.shard.opts.Game.Reconnect.ExtendedWait / time.Second), GameID: g.id}.AppendTo(nil))
		}
	}
}

// acknowledge sends proxies how much has come of what they sent.
func (g *Game) acknowledge(to w3gs.PIDs) {
	for pid := range to.All() {
		if l := g.seats[pid]; l != nil && l.proxy != nil {
			l.Queue(gproxy.Count{ID: gproxy.OpAck, Last: l.line.Received()}.AppendTo(nil))
		}
	}
}

// returnPort is where a player who came by a realm's list, or by the LAN, comes back: at
// the port where they joined, as they see it, if none is set.
func (s *shard) returnPort(realm string) uint16 {
	if own := s.opts.Listeners.Returns; own != nil {
		return addrOf(own).Port()
	}
	return cmp.Or(s.opts.Realms.Port(realm), s.opts.Listeners.Addr().Port())
}
