package admission

import (
	"net/netip"
	"time"

	"w3host/internal/network"
)

const (
	// wrongPasswords is the number of wrong passwords for one name from one address within wrongPasswordsWithin. The
	// name alone does not count, or anybody could lock its owner out.
	wrongPasswords = 5
	// wrongPasswordsPerAddr is the same number of one address for all names.
	wrongPasswordsPerAddr = 20
	wrongPasswordsWithin  = 10 * time.Minute
	// allWrongPasswords is the number of wrong passwords of everybody within allWrongPasswordsWithin. Above it, only
	// a player who has not typed a wrong password yet may try: many addresses together guess slowly, and the admin
	// who types the password right still gets in.
	allWrongPasswords       = 30
	allWrongPasswordsWithin = time.Minute
)

// LoginDelay returns how long a player must wait before the next password is checked; 0: not at all.
func (c *Control) LoginDelay(name string, addr netip.Addr, now time.Time) time.Duration {
	key, base := c.loginKey(name, addr)
	wait := c.passwords.Delay(now, key)
	if base.IsValid() {
		wait = max(wait, c.passwordsByAddr.Delay(now, base))
	}
	if c.passwords.Knows(key) {
		wait = max(wait, c.allPasswords.Delay(now, struct{}{}))
	}
	return wait
}

// WrongPassword counts a wrong password.
func (c *Control) WrongPassword(name string, addr netip.Addr, now time.Time) {
	key, base := c.loginKey(name, addr)
	c.passwords.Allow(now, key)
	c.allPasswords.Allow(now, struct{}{})
	if base.IsValid() {
		c.passwordsByAddr.Allow(now, base)
	}
}

// loginKey returns the key of a name at an address, and the address to count by itself. Players share exempt
// addresses: for these base is invalid, and the key is the same for all of them.
func (c *Control) loginKey(name string, addr netip.Addr) (key string, base netip.Addr) {
	if !c.Exempt(addr) {
		base = network.Base(addr)
	}
	return nameAt(name, base), base
}
