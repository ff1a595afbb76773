package host

import (
	"time"

	"w3host/internal/allowance"
)

const (
	// loginTries are the wrong passwords for one name from one address within
	// loginWithin. A name alone does not count, or anybody could keep its owner out.
	loginTries = 5
	// loginsOfAddr are those of one address for all names.
	loginsOfAddr = 20
	loginWithin  = 10 * time.Minute
	// loginsOfAll are those of everybody within loginsOfAllWithin. When they are spent,
	// only a player who has tried nothing wrong yet is heard, so that many addresses together
	// guess slowly and the admin who types the password right still gets in.
	loginsOfAll       = 30
	loginsOfAllWithin = time.Minute
)

// logins counts wrong passwords. It belongs to the goroutine of the shard.
type logins struct {
	names, addrs *allowance.Limiter[string]
	all          *allowance.Limiter[struct{}]
}

func newLogins() logins {
	return logins{
		names: allowance.NewLimiter[string](loginTries, loginWithin), addrs: allowance.NewLimiter[string](loginsOfAddr, loginWithin),
		all: allowance.NewLimiter[struct{}](loginsOfAll, loginsOfAllWithin),
	}
}

// loginKey is a name at an address. The address is empty in a network of
// limits.exempt, which many share, and counts for nothing alone.
type loginKey struct{ name, addr string }

func (k loginKey) both() string { return k.name + " " + k.addr }

// wait is how long it is until a password may be tried.
func (c *logins) wait(now time.Time, k loginKey) time.Duration {
	wait := c.names.Delay(now, k.both())
	if k.addr != "" {
		wait = max(wait, c.addrs.Delay(now, k.addr))
	}
	if c.names.Knows(k.both()) {
		wait = max(wait, c.all.Delay(now, struct{}{}))
	}
	return wait
}

// wrong counts a wrong password.
func (c *logins) wrong(now time.Time, k loginKey) {
	c.names.Allow(now, k.both())
	if c.all.Allow(now, struct{}{}); k.addr != "" {
		c.addrs.Allow(now, k.addr)
	}
}
