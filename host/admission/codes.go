package admission

import (
	"crypto/rand"
	"fmt"
	"maps"
	"math/big"
	"strings"
	"time"
)

// MaxCodeTries is how many wrong verification codes may be typed at one seat.
const MaxCodeTries = 3

const (
	codeDigits = 6
	codeFor    = 5 * time.Minute // how long an issued code is valid
	maxCodes   = 1024            // issued codes at once
)

// NewCode returns a random verification code. A player of a realm proves the name by a code, which serves once:
// either one that only the seat was shown, whispered from the account, or one that only the account was whispered
// (Codes), typed at the seat.
func NewCode() string {
	n, _ := rand.Int(rand.Reader, big.NewInt(1_000_000)) // never fails, as of Go 1.24
	return fmt.Sprintf("%0*d", codeDigits, n)
}

// Codes holds the codes that were whispered to accounts, by the key that Account returns.
type Codes map[string]issuedCode

type issuedCode struct {
	code  string
	until time.Duration
}

// Issue returns the code of an account, a new one unless it has one already, and renews its time. It returns "" if
// too many codes are issued.
func (c Codes) Issue(account string, now time.Duration) string {
	maps.DeleteFunc(c, func(_ string, i issuedCode) bool { return i.until < now })
	i, known := c[account]
	switch {
	case !known && len(c) >= maxCodes:
		return ""
	case !known:
		i.code = NewCode()
	}
	i.until = now + codeFor
	c[account] = i
	return i.code
}

// Revoke ends a code that was typed where everybody reads it, unless it is the code of the account itself.
func (c Codes) Revoke(account, code string) {
	maps.DeleteFunc(c, func(other string, i issuedCode) bool { return i.code == code && other != account })
}

// Redeem reports whether the code is valid for the account, and ends it if so.
func (c Codes) Redeem(account, code string, now time.Duration) bool {
	i, known := c[account]
	if !known || i.until < now || i.code != code {
		return false
	}
	delete(c, account)
	return true
}

// Account returns the key of a name on a realm.
func Account(realm, name string) string { return strings.ToLower(name + "@" + realm) }
