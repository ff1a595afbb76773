package host

import (
	"context"
	"strings"
	"time"

	"w3host/game"
	"w3host/texts"
)

const (
	// loginTries are the wrong passwords for one name from one address within
	// loginWithin. A name alone does not count, or anybody could keep its owner out.
	loginTries = 5
	// loginsOfAddr are those of one address for all names.
	loginsOfAddr = 20
	loginWithin  = 10 * time.Minute
	// loginsOfAll are those of everybody within loginsOfAllWithin. When they are spent,
	// only who has tried nothing wrong yet is heard, so that many addresses together
	// guess slowly and the admin who types the password right still gets in.
	loginsOfAll       = 30
	loginsOfAllWithin = time.Minute
	// mostLogins are checked at once; each takes 19 MiB.
	mostLogins = 2
)

// logins counts wrong passwords. It belongs to the goroutine of the shard.
type logins struct{ names, addrs, all *tally }

func newLogins() logins {
	return logins{
		names: newTally(loginTries, loginWithin), addrs: newTally(loginsOfAddr, loginWithin),
		all: newTally(loginsOfAll, loginsOfAllWithin),
	}
}

// loginKey is a name at an address. The address is empty in a network of
// limits.exempt, which many share, and counts for nothing alone.
type loginKey struct{ name, addr string }

func (k loginKey) both() string { return k.name + " " + k.addr }

// wait is how long it is until a password may be tried.
func (c *logins) wait(now time.Time, k loginKey) time.Duration {
	wait := c.names.wait(now, k.both())
	if k.addr != "" {
		wait = max(wait, c.addrs.wait(now, k.addr))
	}
	if c.names.known(k.both()) != nil {
		wait = max(wait, c.all.wait(now, ""))
	}
	return wait
}

// wrong counts a wrong password.
func (c *logins) wrong(now time.Time, k loginKey) {
	c.names.spend(now, k.both())
	if c.all.spend(now, ""); k.addr != "" {
		c.addrs.spend(now, k.addr)
	}
}

// login has the password of a player checked. It goes nowhere else: the machine, and
// with it the journal, the game log and the replay, only learns what came of it.
func (g *Game) login(l *link, password string) {
	h, name := g.host, l.name
	key := loginKey{name: strings.ToLower(strings.TrimSpace(name))}
	if addr := l.Addr.Addr(); !h.gate.exempt(addr) {
		key.addr = addr.String()
	}
	wait := h.logins.wait(time.Now(), key)
	switch {
	case l.realm != "":
		g.loginDone(l, game.LoginOfRealm, 0)
		return
	case password == "":
		g.loginDone(l, game.LoginEmpty, 0)
		return
	case wait > 0:
		g.loginDone(l, game.LoginsSpent, wait)
		return
	case l.checking: // the next guess waits for what comes of this one
		return
	}
	check := func(ctx context.Context) (string, error) { return "", h.opts.People.Login(ctx, name, password) }
	l.checking = true
	h.inquire(h.checking, check, func(_ string, err error) {
		g.call(func(*Game) {
			why := texts.Text{}
			l.checking = false
			if l.loggedIn = l.loggedIn || err == nil; err != nil {
				why = texts.Known(err.Error())
			}
			if why.String() == game.ErrWrongPassword.String() { // not that the database is away
				h.logins.wrong(time.Now(), key)
			}
			g.loginDone(l, why, 0)
		})
	})
}

// loginDone tells the machine what came of a password, and with it the player.
func (g *Game) loginDone(l *link, why texts.Text, wait time.Duration) {
	g.step(&game.Input{Kind: game.Login, Link: l.id, Level: l.level(), Why: why.String(), By: wait})
}
