package host

import (
	"errors"
	"net/netip"
	"slices"
	"time"
)

// Why the gate keeps somebody out.
var (
	errUnjoinedTotal = errors.New("too many connections that have not joined")
	errUnjoinedIP    = errors.New("too many connections from this address that have not joined")
	errJoinRate      = errors.New("too many joins a minute from this address")
)

// What one address may try to come back at once, and in so much time: guessed
// keys find a player once in four billion.
const (
	returns       = 200
	returnsWithin = 4 * time.Second
)

// gate counts what one address may do: connections that have not joined, joins a
// minute and attempts to come back. Addresses in an exempt network are only counted
// in the total. It belongs to the goroutine of the shard.
type gate struct {
	limits   Limits
	unjoined int
	from     map[netip.Addr]int // the unjoined of an address
	joins    *tally
	returns  *tally
}

func newGate(l Limits) *gate {
	return &gate{
		limits: l, from: map[netip.Addr]int{},
		joins: newTally(l.JoinsPerMinute, time.Minute), returns: newTally(returns, returnsWithin),
	}
}

func (g *gate) adjust(l Limits) {
	g.limits = l
	g.joins.adjust(l.JoinsPerMinute, time.Minute)
}

// enter counts a new connection, or says why it may not come in.
func (g *gate) enter(addr netip.Addr) error {
	if g.unjoined >= g.limits.Unjoined {
		return errUnjoinedTotal
	}
	if !g.exempt(addr) && g.from[addr] >= g.limits.UnjoinedPerIP {
		return errUnjoinedIP
	}
	g.unjoined++
	g.from[addr]++
	return nil
}

// leave ends what enter began: the connection has joined, or is gone.
func (g *gate) leave(addr netip.Addr) {
	g.unjoined--
	if g.from[addr]--; g.from[addr] == 0 {
		delete(g.from, addr)
	}
}

// join takes one join from the address's allowance.
func (g *gate) join(addr netip.Addr, now time.Time) error {
	return g.spend(g.joins, addr, now, errJoinRate)
}

// comeBack takes one attempt to come back from the address's allowance.
func (g *gate) comeBack(addr netip.Addr, now time.Time) error {
	return g.spend(g.returns, addr, now, errKeyRate)
}

func (g *gate) spend(t *tally, addr netip.Addr, now time.Time, most error) error {
	if !g.exempt(addr) && !t.spend(now, addr.String()) {
		return most
	}
	return nil
}

func (g *gate) exempt(addr netip.Addr) bool {
	return slices.ContainsFunc(g.limits.Exempt, func(n netip.Prefix) bool { return n.Contains(addr) })
}
