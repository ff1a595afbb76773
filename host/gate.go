package host

import (
	"errors"
	"net/netip"
	"sync"
	"time"
)

// Why the gate keeps somebody out.
var (
	errUnjoinedTotal = errors.New("too many connections that have not joined")
	errUnjoinedIP    = errors.New("too many connections from this address that have not joined")
	errJoinRate      = errors.New("too many joins a minute from this address")
)

// gate counts what one address may do: connections that have not joined, and
// joins a minute. Addresses in an exempt network are only counted in the total.
type gate struct {
	limits Limits

	mu       sync.Mutex
	unjoined int
	visitors map[netip.Addr]*visitor
}

// visitor is what the gate knows of an address. tokens refill with time, so an
// address that is quiet for a minute can be forgotten.
type visitor struct {
	unjoined int
	tokens   float64
	at       time.Time
}

func newGate(limits Limits) *gate {
	return &gate{limits: limits, visitors: make(map[netip.Addr]*visitor)}
}

// enter counts a new connection, or says why it may not come in.
func (g *gate) enter(addr netip.Addr, now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unjoined >= g.limits.Unjoined {
		return errUnjoinedTotal
	}
	v := g.visit(addr, now)
	if !g.exempt(addr) && v.unjoined >= g.limits.UnjoinedPerIP {
		return errUnjoinedIP
	}
	g.unjoined++
	v.unjoined++
	return nil
}

// leave ends what enter began: the connection has joined, or is gone.
func (g *gate) leave(addr netip.Addr, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unjoined--
	v := g.visit(addr, now)
	v.unjoined--
}

// join takes one join from the address's allowance.
func (g *gate) join(addr netip.Addr, now time.Time) error {
	if g.exempt(addr) {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.visit(addr, now)
	if v.tokens < 1 {
		return errJoinRate
	}
	v.tokens--
	return nil
}

// visit finds the address's record with its tokens up to date, and forgets the
// quiet ones when there are many.
func (g *gate) visit(addr netip.Addr, now time.Time) *visitor {
	full := float64(g.limits.JoinsPerMinute)
	v := g.visitors[addr]
	if v == nil {
		if len(g.visitors) >= 4096 {
			for a, old := range g.visitors {
				if old.unjoined == 0 && now.Sub(old.at) > time.Minute {
					delete(g.visitors, a)
				}
			}
		}
		v = &visitor{tokens: full, at: now}
		g.visitors[addr] = v
	}
	v.tokens = min(full, v.tokens+now.Sub(v.at).Minutes()*full)
	v.at = now
	return v
}

func (g *gate) exempt(addr netip.Addr) bool {
	for _, network := range g.limits.Exempt {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}
