package host

import (
	"net/netip"
	"time"

	"w3host/internal/allowance"
	"w3host/internal/network"
)

// wideFactor is how many times the limit of one address holds for all addresses of the network around it.
const wideFactor = 4

// sourceLimiter limits acts per address, and per network around it (network.Wide), where one attacker can have
// many addresses.
type sourceLimiter struct {
	near, wide *allowance.Limiter[netip.Addr]
}

func newSourceLimiter(burst int, per time.Duration) sourceLimiter {
	return sourceLimiter{allowance.NewLimiter[netip.Addr](burst, per), allowance.NewLimiter[netip.Addr](wideFactor*burst, per)}
}

func (s sourceLimiter) setLimit(burst int, per time.Duration) {
	s.near.SetLimit(burst, per)
	s.wide.SetLimit(wideFactor*burst, per)
}

// allow counts one act of an address, and reports whether it is within both limits.
func (s sourceLimiter) allow(now time.Time, addr netip.Addr) bool {
	ok := s.near.Allow(now, network.Base(addr))
	if wide := network.Wide(addr); ok && wide.IsValid() {
		ok = s.wide.Allow(now, wide)
	}
	return ok
}

// delay returns how long an address has to wait until both limits allow an act.
func (s sourceLimiter) delay(now time.Time, addr netip.Addr) time.Duration {
	wait := s.near.Delay(now, network.Base(addr))
	if wide := network.Wide(addr); wide.IsValid() {
		wait = max(wait, s.wide.Delay(now, wide))
	}
	return wait
}
