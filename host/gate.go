package host

import (
	"errors"
	"net/netip"
	"slices"
	"time"

	"w3host/internal/allowance"
	"w3host/internal/network"
)

// Why the gate keeps somebody out.
var (
	errUnjoinedTotal = errors.New("too many connections that have not joined")
	errUnjoinedIP    = errors.New("too many connections from this address that have not joined (limits.unjoined_per_ip; limits.exempt for an address that players share)")
	errJoinRate      = errors.New("too many joins a minute from this address (limits.joins_per_minute_per_ip; limits.exempt for an address that players share)")
)

const (
	// returns is how often one address may try to come back at once, and within
	// returnsWithin.
	returns       = 200
	returnsWithin = 4 * time.Second
	// wrongKeys is how many keys one address may get wrong within wrongKeysWithin
	// before it has to wait. A proxy brings a wrong one if its game ended while it was
	// away, and gives up then; many players can share an address.
	wrongKeys       = 20
	wrongKeysWithin = 10 * time.Minute
	// guesses is how many keys all addresses together may get wrong at once, and
	// within guessesWithin. A key has 32 bits: with a hundred games, a guess that is
	// right comes once in a year. When they are spent, players come back to their
	// seats only from where they were before.
	guesses       = 60
	guessesWithin = time.Minute
)

// gate counts the acts of one address: connections without a seat, joins a minute,
// attempts to come back and wrong keys. An address of IPv6 counts as its network
// (internal/network). Addresses in an exempt network are only counted in the total. It
// belongs to the goroutine of the shard.
type gate struct {
	limits    Limits
	unjoined  int                // connections without a seat, until they are closed
	from      map[netip.Addr]int // those of a source
	around    map[netip.Addr]int // those of the network around a source
	joins     sourceLimiter
	returns   *allowance.Limiter[netip.Addr]
	wrongKeys *allowance.Limiter[netip.Addr]
	guesses   *allowance.Limiter[struct{}] // wrong keys of all addresses
}

func newGate(l Limits) *gate {
	return &gate{
		limits: l, from: map[netip.Addr]int{}, around: map[netip.Addr]int{},
		joins: newSourceLimiter(l.JoinsPerMinute, time.Minute), returns: allowance.NewLimiter[netip.Addr](returns, returnsWithin),
		wrongKeys: allowance.NewLimiter[netip.Addr](wrongKeys, wrongKeysWithin), guesses: allowance.NewLimiter[struct{}](guesses, guessesWithin),
	}
}

func (g *gate) adjust(l Limits) {
	g.limits = l
	g.joins.setLimit(l.JoinsPerMinute, time.Minute)
}

// enter counts a new connection, or says why it may not come in.
func (g *gate) enter(addr netip.Addr) error {
	source := network.Base(addr)
	wide := network.Wide(addr)
	if !g.exempt(addr) && (g.from[source] >= g.limits.UnjoinedPerIP || wide.IsValid() && g.around[wide] >= wideFactor*g.limits.UnjoinedPerIP) {
		return errUnjoinedIP
	}
	if g.unjoined >= g.limits.Unjoined {
		return errUnjoinedTotal
	}
	g.unjoined++
	g.from[source]++
	if wide.IsValid() {
		g.around[wide]++
	}
	return nil
}

// leave ends the stay that enter began: the connection has a seat, or is closed.
func (g *gate) leave(addr netip.Addr) {
	g.unjoined--
	source := network.Base(addr)
	if g.from[source]--; g.from[source] == 0 {
		delete(g.from, source)
	}
	wide := network.Wide(addr)
	if g.around[wide]--; g.around[wide] <= 0 {
		delete(g.around, wide)
	}
}

// join takes one join from the address's allowance.
func (g *gate) join(addr netip.Addr, now time.Time) error {
	if !g.exempt(addr) && !g.joins.allow(now, addr) {
		return errJoinRate
	}
	return nil
}

// comeBack takes one attempt to come back from the address's allowance.
func (g *gate) comeBack(addr netip.Addr, now time.Time) error {
	return g.spend(g.returns, addr, now, errKeyRate)
}

// hasGuessed reports whether an address has got too many keys wrong.
func (g *gate) hasGuessed(addr netip.Addr, now time.Time) bool {
	return !g.exempt(addr) && g.wrongKeys.Delay(now, network.Base(addr)) > 0
}

// guess counts a wrong key.
func (g *gate) guess(addr netip.Addr, now time.Time) {
	g.wrongKeys.Allow(now, network.Base(addr))
	g.guesses.Allow(now, struct{}{})
}

// tooManyGuesses reports whether all addresses together have got too many keys wrong.
func (g *gate) tooManyGuesses(addr netip.Addr, now time.Time) bool {
	return !g.exempt(addr) && g.guesses.Delay(now, struct{}{}) > 0
}

func (g *gate) spend(l *allowance.Limiter[netip.Addr], addr netip.Addr, now time.Time, most error) error {
	if !g.exempt(addr) && !l.Allow(now, network.Base(addr)) {
		return most
	}
	return nil
}

func (g *gate) exempt(addr netip.Addr) bool {
	return slices.ContainsFunc(g.limits.Exempt, func(n netip.Prefix) bool { return n.Contains(addr) })
}
