package host

import (
	"crypto/rand"
	"fmt"
	"maps"
	"math/big"
	"strings"
	"time"
)

// A name of a realm is proven by a code: one that only the seat was shown, whispered from
// the account, or one that only the account was whispered, typed at the seat. Each serves
// once.
const (
	codeDigits = 6
	codeFor    = 5 * time.Minute // a whispered one
	codeTries  = 3               // at one seat
	maxCodes   = 1024            // whispered ones
)

func newCode() string {
	n, _ := rand.Int(rand.Reader, big.NewInt(1_000_000)) // never fails, as of Go 1.24
	return fmt.Sprintf("%0*d", codeDigits, n)
}

// codes are those that accounts were whispered, by account.
type codes map[string]whispered

type whispered struct {
	code  string
	until time.Duration
}

// issue is the code for an account to type, new or known; empty: too many are out.
func (c codes) issue(key string, now time.Duration) string {
	maps.DeleteFunc(c, func(_ string, w whispered) bool { return w.until < now })
	w, known := c[key]
	switch {
	case !known && len(c) >= maxCodes:
		return ""
	case !known:
		w.code = newCode()
	}
	w.until = now + codeFor
	c[key] = w
	return w.code
}

// read ends a code that everybody has read, unless it is that of the account.
func (c codes) read(key, code string) {
	maps.DeleteFunc(c, func(other string, w whispered) bool { return w.code == code && other != key })
}

// redeem reports whether the code is that of the account, and ends it.
func (c codes) redeem(key, code string, now time.Duration) bool {
	w, known := c[key]
	if !known || w.until < now || w.code != code {
		return false
	}
	delete(c, key)
	return true
}

// account is the key of a name of a realm.
func account(realm, name string) string { return strings.ToLower(name + "@" + realm) }
