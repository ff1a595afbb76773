package host

import (
	"crypto/rand"
	"fmt"
	"maps"
	"math/big"
	"time"

	"w3host/game"
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
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic(err) // it never fails
	}
	return fmt.Sprintf("%0*d", codeDigits, n)
}

// whispered is a code that an account was whispered.
type whispered struct {
	code  string
	until time.Duration
}

// CodeFor is the code for the bearer of an account to type in a lobby or game; empty: too
// many are out. It must not be called on the shard.
func (h *Host) CodeFor(realm, name string) (code string) {
	h.shard.Wait(func() {
		s, key := h.shard, account(realm, name)
		maps.DeleteFunc(s.codes, func(_ string, w whispered) bool { return w.until < s.Now() })
		w, known := s.codes[key]
		switch {
		case !known && len(s.codes) >= maxCodes:
			return
		case !known:
			w.code = newCode()
		}
		w.until = s.Now() + codeFor
		s.codes[key] = w
		code = w.code
	})
	return code
}

// Prove takes a code that was whispered from an account, and reports whether a seat under
// that name was shown it. It must not be called on the shard.
func (h *Host) Prove(realm, name, code string) (proven bool) {
	h.shard.Wait(func() {
		h.shard.each(realm, name, func(l *link) {
			if l.code != "" && l.code == code && !l.vouched {
				proven = true
				defer l.game.rescue()
				l.game.vouch(l)
			}
		})
	})
	return proven
}

// Redeem takes a code that was typed at a seat; empty: the player asks how to prove the
// name. It must not be called on the shard.
func (g *Game) Redeem(pid uint8, name, code string) (err error) {
	g.shard.Wait(func() {
		l := g.seats[pid]
		if l != nil { // everybody has read it now
			maps.DeleteFunc(g.shard.codes, func(key string, w whispered) bool {
				return w.code == code && key != account(l.realm, l.name)
			})
		}
		switch {
		case g.over || l == nil || l.name != name:
			err = errGameOver
		case l.realm == "":
			err = game.NameOfLAN
		case l.vouched && code == "":
			err = game.NameProven
		case l.vouched:
		case code == "":
			defer g.rescue()
			g.offerCode(l)
		case l.tries >= codeTries:
			err = game.NoMoreProofs
		default:
			defer g.rescue()
			err = g.typed(l, code)
		}
	})
	return err
}

func (g *Game) typed(l *link, code string) error {
	s, key := g.shard, account(l.realm, l.name)
	w, known := s.codes[key]
	if !known || w.until < s.Now() || w.code != code {
		l.tries++
		return game.WrongProof(g.host.opts.Realms.Account(l.realm), l.realm)
	}
	delete(s.codes, key)
	g.vouch(l)
	return nil
}
