// Package admission limits what strangers and players may do at a host: connections that have not joined, joins,
// reconnects, departures, passwords, verification codes, seats per address, and packets per second. It decides and
// counts only; package host closes connections and rejects joins. It knows neither games nor sockets, and has no
// lock: package host calls it on the goroutine of its loop.
package admission

import (
	"net/netip"
	"slices"
	"time"

	"w3host/internal/allowance"
	"w3host/internal/network"
)

// Limits are the limits per address; see config.Limits. An IPv6 address counts as its /64 (network.Base). The wider
// network around an address has wideFactor times the limit of one address.
type Limits struct {
	Unjoined          int // connections without a seat, of all addresses
	UnjoinedPerIP     int
	JoinsPerMinute    int
	SeatsPerIP        int // in lobbies and games; 0: no limit
	GamesPerIP        int // lobbies and games with such a seat; 0: no limit
	LobbyLeaves       int // of lobbies, by one name or address, within LobbyLeavesWithin; 0: no limit
	LobbyLeavesWithin time.Duration
	Exempt            []netip.Prefix // networks that only Unjoined limits
}

// Control holds the counts of a host, per address and in total.
type Control struct {
	limits Limits

	unjoined           int                // open connections without a seat
	unjoinedPerAddr    map[netip.Addr]int // the same, per address
	unjoinedPerNetwork map[netip.Addr]int // the same, per network around the address
	joins              sourceLimiter
	reconnects         *allowance.Limiter[netip.Addr]
	wrongKeys          *allowance.Limiter[netip.Addr]
	allWrongKeys       *allowance.Limiter[struct{}]

	leaves       *allowance.Limiter[string] // per name and address
	leavesByAddr sourceLimiter
	breakUps     sourceLimiter

	passwords       *allowance.Limiter[string] // wrong passwords per name and address
	passwordsByAddr *allowance.Limiter[netip.Addr]
	allPasswords    *allowance.Limiter[struct{}]
}

// New returns a Control that has counted nothing.
func New(l Limits) *Control {
	c := &Control{
		unjoinedPerAddr: map[netip.Addr]int{}, unjoinedPerNetwork: map[netip.Addr]int{},
		joins:           newSourceLimiter(),
		reconnects:      allowance.NewLimiter[netip.Addr](reconnects, reconnectsWithin),
		wrongKeys:       allowance.NewLimiter[netip.Addr](wrongKeys, wrongKeysWithin),
		allWrongKeys:    allowance.NewLimiter[struct{}](allWrongKeys, allWrongKeysWithin),
		leaves:          allowance.NewLimiter[string](0, 0),
		leavesByAddr:    newSourceLimiter(),
		breakUps:        newSourceLimiter(),
		passwords:       allowance.NewLimiter[string](wrongPasswords, wrongPasswordsWithin),
		passwordsByAddr: allowance.NewLimiter[netip.Addr](wrongPasswordsPerAddr, wrongPasswordsWithin),
		allPasswords:    allowance.NewLimiter[struct{}](allWrongPasswords, allWrongPasswordsWithin),
	}
	c.Configure(l)
	return c
}

// Configure changes the limits. Existing counts remain.
func (c *Control) Configure(l Limits) {
	c.limits = l
	c.joins.setLimit(l.JoinsPerMinute, time.Minute)
	c.leaves.SetLimit(l.LobbyLeaves, l.LobbyLeavesWithin)
	c.leavesByAddr.setLimit(leavesFactor*l.LobbyLeaves, l.LobbyLeavesWithin)
	c.breakUps.setLimit(max(l.LobbyLeaves/2, 1), breakUpsFactor*l.LobbyLeavesWithin)
}

// Exempt reports whether addr is in one of Limits.Exempt.
func (c *Control) Exempt(addr netip.Addr) bool {
	return slices.ContainsFunc(c.limits.Exempt, func(n netip.Prefix) bool { return n.Contains(addr) })
}

// wideFactor is how many times the limit of one address applies to the network around it.
const wideFactor = 4

// sourceLimiter limits events per address, and per network around it (network.Wide), because one attacker can have
// many addresses.
type sourceLimiter struct {
	near, wide *allowance.Limiter[netip.Addr]
}

// newSourceLimiter returns a sourceLimiter that allows nothing before setLimit.
func newSourceLimiter() sourceLimiter {
	return sourceLimiter{allowance.NewLimiter[netip.Addr](0, 0), allowance.NewLimiter[netip.Addr](0, 0)}
}

func (s sourceLimiter) setLimit(burst int, per time.Duration) {
	s.near.SetLimit(burst, per)
	s.wide.SetLimit(wideFactor*burst, per)
}

// allow counts one event of an address and reports whether it is within both limits.
func (s sourceLimiter) allow(now time.Time, addr netip.Addr) bool {
	ok := s.near.Allow(now, network.Base(addr))
	if wide := network.Wide(addr); ok && wide.IsValid() {
		ok = s.wide.Allow(now, wide)
	}
	return ok
}

// delay returns the time until both limits allow another event of an address; 0 means now.
func (s sourceLimiter) delay(now time.Time, addr netip.Addr) time.Duration {
	wait := s.near.Delay(now, network.Base(addr))
	if wide := network.Wide(addr); wide.IsValid() {
		wait = max(wait, s.wide.Delay(now, wide))
	}
	return wait
}
