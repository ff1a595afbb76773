package host

import (
	"crypto/subtle"
	"fmt"
	"net/netip"
	"time"

	"w3host/host/registry"
	"w3host/internal/network"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"

	"github.com/rs/zerolog"
)

// comeBack gives the new connection of a reconnecting player to the player's seat, or rejects it. On an error the
// connection closes without an answer, and the proxy tries again.
func (h *Host) comeBack(l *link, back *gproxy.Reconnect) error {
	addr, now := l.Addr.Addr(), time.Now()
	if err := h.shard.admission.Reconnect(addr, now); err != nil {
		return err
	}
	c := h.whose(back, addr)
	if !c.returns(addr) && h.shard.admission.TooManyWrongKeys(addr, now) {
		return errWrongKeys
	}
	if c.seats > 0 && !c.here && h.shard.admission.TooManyWrongKeysInAll(addr, now) {
		return errGuesses // without an answer: a player with the right key may try again
	}
	if c.person == nil && h.coming {
		return errComing // without an answer: the proxy tries again
	}
	reason, err := gproxy.NotFound, errNoSuchSeat
	if p := c.person; p != nil {
		if _, bad := p.line.Resume(back.Last); bad != nil {
			reason, err = gproxy.Invalid, fmt.Errorf("%w: %d packets: %w", errBadCount, back.Last, bad)
		} else if p.proxy.returned.Take(l.shard.Now(), seatReturnsEvery, seatReturns*seatReturnsEvery) > 0 {
			return errReturnRate
		} else {
			l.Admit()
			p.packets.Resume(l.shard.Now())
			c.game.resume(l, back, p)
			return nil
		}
	} else if c.seats > 0 {
		h.shard.admission.WrongKey(addr, now)
	}
	l.Admit()
	l.refusal(zerolog.WarnLevel).Uint8("pid", back.PID).AnErr("reason", err).Msg("reconnection rejected")
	l.Queue(gproxy.Reject{Reason: reason}.AppendTo(nil))
	l.Finish(err)
	return nil
}

// claim is what whose has found for a reconnect.
type claim struct {
	game   *Game
	person *person // nil: the key is wrong
	seats  int     // number of seats that the key could be for
	here   bool    // a player of one of these seats was at this address before
}

// returns reports whether the key is right and the player was at this address before. Such a player is admitted however
// many wrong keys others at the address have sent: reconnects are limited anyway, and players can share an address.
func (c *claim) returns(addr netip.Addr) bool {
	return c.person != nil && network.Base(c.person.lastAddr) == network.Base(addr)
}

// whose finds the seat of a player ID and key. It looks at every game, so that its duration tells an attacker nothing.
func (h *Host) whose(back *gproxy.Reconnect, addr netip.Addr) (c claim) {
	if int(back.PID) > w3gs.MaxPID {
		return c
	}
	for _, g := range h.running {
		q := g.proxies[back.PID]
		if !g.playing || q == nil || back.GameID != 0 && back.GameID&registry.IDMask != g.id {
			continue
		}
		c.seats++
		c.here = c.here || network.Base(q.lastAddr) == network.Base(addr)
		if subtle.ConstantTimeEq(int32(q.proxy.Key), int32(back.Key)) == 1 {
			c.game, c.person = g, q
		}
	}
	return c
}
