package admission

import (
	"errors"
	"net/netip"
	"time"

	"w3host/internal/network"
)

// Reasons for refusing a connection, a join or a reconnect.
var (
	ErrUnjoinedTotal = errors.New("too many connections that have not joined")
	ErrUnjoinedIP    = errors.New("too many connections from this address that have not joined (limits.unjoined_per_ip; limits.exempt for an address that players share)")
	ErrJoinRate      = errors.New("too many joins a minute from this address (limits.joins_per_minute_per_ip; limits.exempt for an address that players share)")
	ErrReconnectRate = errors.New("too many attempts to come back from this address")
)

const (
	// reconnects is the number of reconnects that one address may try within reconnectsWithin.
	reconnects       = 200
	reconnectsWithin = 4 * time.Second
	// wrongKeys is the number of wrong reconnect keys of one address within wrongKeysWithin before it has to wait.
	// A proxy whose game ended while it was away sends one wrong key and gives up; many players can share an address.
	wrongKeys       = 20
	wrongKeysWithin = 10 * time.Minute
	// allWrongKeys is the number of wrong keys of all addresses together within allWrongKeysWithin. A key has 32
	// bits: with a hundred games, an attacker guesses one in a year. Above the limit, players reconnect only from
	// the address that they had before.
	allWrongKeys       = 60
	allWrongKeysWithin = time.Minute
)

// Connect counts a new connection without a seat, or returns why it is refused. The caller calls Release once for
// each counted connection.
func (c *Control) Connect(addr netip.Addr) error {
	base, wide := network.Base(addr), network.Wide(addr)
	if !c.Exempt(addr) && (c.unjoinedPerAddr[base] >= c.limits.UnjoinedPerIP ||
		wide.IsValid() && c.unjoinedPerNetwork[wide] >= wideFactor*c.limits.UnjoinedPerIP) {
		return ErrUnjoinedIP
	}
	if c.unjoined >= c.limits.Unjoined {
		return ErrUnjoinedTotal
	}
	c.unjoined++
	c.unjoinedPerAddr[base]++
	if wide.IsValid() {
		c.unjoinedPerNetwork[wide]++
	}
	return nil
}

// Release ends the count of a connection that has got a seat or has closed.
func (c *Control) Release(addr netip.Addr) {
	c.unjoined--
	base, wide := network.Base(addr), network.Wide(addr)
	if c.unjoinedPerAddr[base]--; c.unjoinedPerAddr[base] == 0 {
		delete(c.unjoinedPerAddr, base)
	}
	if c.unjoinedPerNetwork[wide]--; c.unjoinedPerNetwork[wide] <= 0 {
		delete(c.unjoinedPerNetwork, wide)
	}
}

// Unjoined returns the number of open connections without a seat.
func (c *Control) Unjoined() int { return c.unjoined }

// Join counts one join, or returns why it is refused.
func (c *Control) Join(addr netip.Addr, now time.Time) error {
	if !c.Exempt(addr) && !c.joins.allow(now, addr) {
		return ErrJoinRate
	}
	return nil
}

// Reconnect counts one attempt to return to a seat, or returns why it is refused.
func (c *Control) Reconnect(addr netip.Addr, now time.Time) error {
	if !c.Exempt(addr) && !c.reconnects.Allow(now, network.Base(addr)) {
		return ErrReconnectRate
	}
	return nil
}

// WrongKey counts a reconnect with a wrong key.
func (c *Control) WrongKey(addr netip.Addr, now time.Time) {
	c.wrongKeys.Allow(now, network.Base(addr))
	c.allWrongKeys.Allow(now, struct{}{})
}

// TooManyWrongKeys reports whether an address has sent too many wrong keys.
func (c *Control) TooManyWrongKeys(addr netip.Addr, now time.Time) bool {
	return !c.Exempt(addr) && c.wrongKeys.Delay(now, network.Base(addr)) > 0
}

// TooManyWrongKeysInAll reports whether all addresses together have sent too many wrong keys. It is false for an
// exempt address.
func (c *Control) TooManyWrongKeysInAll(addr netip.Addr, now time.Time) bool {
	return !c.Exempt(addr) && c.allWrongKeys.Delay(now, struct{}{}) > 0
}
