package host

import (
	"context"
	"strings"
	"time"

	"w3host/game"
	"w3host/texts"
)

const (
	// loginTries a name, or an address, has within loginWithin.
	loginTries  = 5
	loginWithin = 10 * time.Minute
	// mostLogins are checked at once; each takes 19 MiB.
	mostLogins = 2
)

// login has the password of a player checked. It goes nowhere else: the machine, and
// with it the journal, the game log and the replay, only learns what came of it.
func (g *Game) login(l *link, password string) {
	h, now, name := g.host, time.Now(), l.name
	keys := []string{"name " + strings.ToLower(strings.TrimSpace(name))}
	if addr := l.addr.Addr(); !h.gate.exempt(addr) { // many have one of these
		keys = append(keys, "addr "+addr.String())
	}
	wait := h.logins.wait(now, keys...)
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
	}
	check := func(ctx context.Context) (string, error) { return "", h.opts.People.Login(ctx, name, password) }
	if h.inquire(h.checking, check, func(_ string, err error) {
		g.call(func(*Game) {
			why := texts.Text{}
			if l.loggedIn = l.loggedIn || err == nil; err != nil {
				why = texts.Known(err.Error())
			}
			g.loginDone(l, why, 0)
		})
	}) {
		h.logins.spend(now, keys...)
	}
}

// loginDone tells the machine what came of a password, and with it the player.
func (g *Game) loginDone(l *link, why texts.Text, wait time.Duration) {
	g.step(&game.Input{Kind: game.Login, Link: l.id, Level: l.level(), Why: why.String(), By: wait})
}
