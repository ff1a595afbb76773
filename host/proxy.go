package host

import (
	"cmp"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"w3host/game"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// firstExtended is the first version of a proxy that knows SUPPORT_EXTENDED.
const firstExtended = 2

// proxy is what the host knows of a player's proxy, whatever connection it has.
type proxy struct {
	version      uint32
	key          uint32
	extendedSent bool // with how long its player is waited for
	returns      *rate.Limiter
}

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
	if l.game == nil {
		switch p := packet.(type) {
		case gproxy.Reconnect:
			return l.shard.host.comeBack(l, &p)
		case gproxy.List:
			l.shard.host.list(l, p)
			return nil
		}
		return errNotAJoin
	}
	if err := l.meter.count(0, l.shard.Now()); err != nil {
		return err
	}
	switch {
	case l.shard.host.opts.Game.Reconnect.Wait == 0, errors.Is(err, gproxy.ErrOp):
		l.skipped++
		return nil
	case err != nil:
		return err
	}
	if p, ok := packet.(gproxy.Init); ok {
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

// comeBack gives a player's new connection to their seat, or rejects it.
func (h *Host) comeBack(l *link, back *gproxy.Reconnect) error {
	l.Admit()
	addr, now := l.Addr.Addr(), time.Now()
	if err := h.gate.comeBack(addr, now); err != nil {
		return err
	}
	c := h.shard.whose(back, addr)
	if c.seats > 0 && !c.here && h.gate.guessed(addr, now) {
		return errGuesses // unread: who has the right key may try again
	}
	reason, err := gproxy.NotFound, errNoSuchSeat
	if p := c.person; p != nil {
		if _, bad := p.line.Resume(back.Last); bad != nil {
			reason, err = gproxy.Invalid, fmt.Errorf("%w: %d packets: %w", errBadCount, back.Last, bad)
		} else if !p.proxy.returns.AllowN(now, 1) {
			return errReturnRate
		} else {
			p.meter.resume(l.shard.Now())
			c.game.resume(l, back, p)
			return nil
		}
	} else if c.seats > 0 {
		h.gate.guess(addr, now)
	}
	l.refusal(zerolog.WarnLevel).Uint8("pid", back.PID).AnErr("reason", err).Msg("reconnection rejected")
	l.Queue(gproxy.Reject{Reason: reason}.AppendTo(nil))
	l.Finish(err)
	return nil
}

// claim is what is known of who wants to come back.
type claim struct {
	game   *Game
	person *person // nil: the key is wrong
	seats  int     // that the key could be for
	here   bool    // one of their players was at this address before
}

// whose finds the seat of a player id and key. It looks at every game, so that
// the time tells nothing.
func (s *shard) whose(back *gproxy.Reconnect, addr netip.Addr) (c claim) {
	if int(back.PID) > w3gs.MaxPID {
		return c
	}
	for _, g := range s.games {
		q := g.proxies[back.PID]
		if !g.playing || q == nil || back.GameID != 0 && back.GameID&gameIDMask != g.id {
			continue
		}
		c.seats++
		c.here = c.here || q.lastAddr == addr
		if subtle.ConstantTimeEq(int32(q.proxy.key), int32(back.Key)) == 1 {
			c.game, c.person = g, q
		}
	}
	return c
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

// forfeit tells the machine that more would have to be kept for a seat than may
// be.
func (g *Game) forfeit(pid uint8) {
	g.step(&game.Input{Kind: game.Forfeit, PID: pid, Why: "more waited for the proxy's acknowledgement than is kept"})
}

// keep begins to keep what is sent to proxies.
func (g *Game) keep() {
	for _, p := range g.proxies {
		if p != nil {
			p.line.Keep(g.host.opts.Limits.OutQueue / 2) // a new link must be able to queue it
		}
	}
}

// offer tells proxies how they come back.
func (g *Game) offer(op *game.Op) {
	for pid := range op.To.All() {
		l := g.seats[pid]
		if l == nil || l.proxy == nil {
			continue
		}
		p := l.proxy
		g.proxies[pid] = l.person
		l.Queue(gproxy.Offer{Port: g.host.returnPort(l.realm), PID: pid, Key: p.key, Empties: op.Empties}.AppendTo(nil))
		if p.version >= firstExtended && !p.extendedSent {
			p.extendedSent = true
			l.Queue(gproxy.Extended{Seconds: uint32(g.host.opts.Game.Reconnect.ExtendedWait / time.Second), GameID: g.id}.AppendTo(nil))
		}
	}
}

// acknowledge tells proxies how much has come of what they sent.
func (g *Game) acknowledge(to w3gs.PIDs) {
	for pid := range to.All() {
		if l := g.seats[pid]; l != nil && l.proxy != nil {
			l.Queue(gproxy.Count{ID: gproxy.OpAck, Last: l.line.Received()}.AppendTo(nil))
		}
	}
}

// returnPort is where a player who came by a realm's list, or by the LAN, comes back: at
// the port where they joined, as they see it, if none is set.
func (h *Host) returnPort(realm string) uint16 {
	if own := h.opts.Listeners.Returns; own != nil {
		return addrOf(own).Port()
	}
	return cmp.Or(h.opts.Realms.Port(realm), h.Addr().Port())
}
