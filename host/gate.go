package host

import (
	"container/list"
	"errors"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
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

// maxVisitors is how many quiet addresses the gate remembers, some 400 bytes
// each. A forgotten address has its full allowance again, so whoever wants that
// must come from more addresses than this.
const maxVisitors = 16 << 10

// gate counts what one address may do: connections that have not joined, and
// joins a minute. Addresses in an exempt network are only counted in the total.
// Every call takes the same time, however many addresses are known.
type gate struct {
	limits Limits

	mu       sync.Mutex
	unjoined int
	visitors map[netip.Addr]*visitor
	quiet    *list.List // visitors without an open connection, the last seen in front
}

// visitor is what the gate knows of an address.
type visitor struct {
	addr     netip.Addr
	unjoined int
	joins    *rate.Limiter
	returns  *rate.Limiter
	place    *list.Element // in quiet; nil while a connection is open
}

func newGate(limits Limits) *gate {
	return &gate{limits: limits, visitors: make(map[netip.Addr]*visitor), quiet: list.New()}
}

// adjust changes the limits, also for addresses that are known. It runs on the
// shard, which asks exempt without the lock.
func (g *gate) adjust(l Limits) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limits = l
	for _, v := range g.visitors {
		v.joins.SetLimit(rate.Limit(l.JoinsPerMinute) / 60)
		v.joins.SetBurst(l.JoinsPerMinute)
	}
}

// enter counts a new connection, or says why it may not come in.
func (g *gate) enter(addr netip.Addr) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unjoined >= g.limits.Unjoined {
		return errUnjoinedTotal
	}
	v := g.visit(addr)
	defer g.rest(v)
	if !g.exempt(addr) && v.unjoined >= g.limits.UnjoinedPerIP {
		return errUnjoinedIP
	}
	g.unjoined++
	v.unjoined++
	return nil
}

// leave ends what enter began: the connection has joined, or is gone.
func (g *gate) leave(addr netip.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unjoined--
	v := g.visit(addr)
	v.unjoined--
	g.rest(v)
}

// join takes one join from the address's allowance.
func (g *gate) join(addr netip.Addr, now time.Time) error {
	return g.spend(addr, now, errJoinRate, func(v *visitor) *rate.Limiter { return v.joins })
}

// comeBack takes one attempt to come back from the address's allowance.
func (g *gate) comeBack(addr netip.Addr, now time.Time) error {
	return g.spend(addr, now, errKeyRate, func(v *visitor) *rate.Limiter { return v.returns })
}

func (g *gate) spend(addr netip.Addr, now time.Time, refusal error, of func(*visitor) *rate.Limiter) error {
	if g.exempt(addr) {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.visit(addr)
	defer g.rest(v)
	if !of(v).AllowN(now, 1) {
		return refusal
	}
	return nil
}

// visit finds the address's record. It is followed by rest.
func (g *gate) visit(addr netip.Addr) *visitor {
	v := g.visitors[addr]
	if v == nil {
		joins := g.limits.JoinsPerMinute
		v = &visitor{
			addr:    addr,
			joins:   rate.NewLimiter(rate.Limit(joins)/60, joins),
			returns: rate.NewLimiter(rate.Limit(returns/returnsWithin.Seconds()), returns),
		}
		g.visitors[addr] = v
	}
	return v
}

// rest puts a visitor without an open connection in front of the quiet ones, of
// whom the one who was seen longest ago is forgotten when there are too many.
// Those with an open connection are bounded by limits.Unjoined.
func (g *gate) rest(v *visitor) {
	switch {
	case v.unjoined > 0 && v.place != nil:
		g.quiet.Remove(v.place)
		v.place = nil
	case v.unjoined > 0:
	case v.place != nil:
		g.quiet.MoveToFront(v.place)
	default:
		v.place = g.quiet.PushFront(v)
		if g.quiet.Len() > maxVisitors {
			oldest := g.quiet.Remove(g.quiet.Back()).(*visitor)
			delete(g.visitors, oldest.addr)
		}
	}
}

func (g *gate) exempt(addr netip.Addr) bool {
	for _, network := range g.limits.Exempt {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}
