package host

import (
	"context"
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

// login checks the password of a player on a goroutine of its own, which ends with
// the answer or when the database gives up. The password goes nowhere else: the
// machine, and with it the journal, the game log and the replay, only learns what
// came of it.
func (g *Game) login(l *link, password string) {
	h, now := g.host, time.Now()
	answer := func(why texts.Text, wait time.Duration) {
		g.step(&game.Input{Kind: game.Login, Link: l.id, Level: l.level(), Why: why.String(), By: wait})
	}
	keys := h.keys(l.name, l.addr.Addr())
	wait := h.logins.wait(now, keys...)
	switch {
	case l.realm != "":
		answer(texts.Of("your realm vouches for your name: there is nothing to log in to"), 0)
		return
	case password == "":
		answer(texts.Of("the password is missing: write login <password>"), 0)
		return
	case h.opts.People == nil:
		answer(texts.Of("there is no database here to ask"), 0)
		return
	case wait > 0:
		answer(texts.Of("too many passwords were tried"), wait)
		return
	}
	select {
	case h.checking <- struct{}{}:
	default:
		answer(texts.Of("too much is asked at once: try again in a few seconds"), 0)
		return
	}
	h.logins.spend(now, keys...)
	name := l.name
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
		defer cancel()
		err := h.opts.People.Login(ctx, name, password)
		<-h.checking
		g.call(func(*Game) {
			why := texts.Text{}
			if err != nil {
				why = texts.Known(err.Error())
			} else if l.loggedIn = true; l.proxy != nil {
				l.proxy.loggedIn = true
			}
			answer(why, 0)
		})
	}()
}
