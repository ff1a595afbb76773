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
	keys := h.keys(l.name, l.addr.Addr())
	wait := h.logins.wait(now, keys...)
	switch {
	case l.realm != "":
		g.loginDone(l, texts.Of("your realm vouches for your name: there is nothing to log in to"), 0)
		return
	case password == "":
		g.loginDone(l, texts.Of("the password is missing: write login <password>"), 0)
		return
	case h.opts.People == nil:
		g.loginDone(l, texts.Of("there is no database here to ask"), 0)
		return
	case wait > 0:
		g.loginDone(l, texts.Of("too many passwords were tried"), wait)
		return
	}
	select {
	case h.checking <- struct{}{}:
	default:
		g.loginDone(l, texts.Of("too much is asked at once: try again in a few seconds"), 0)
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
			if l.loggedIn = l.loggedIn || err == nil; err != nil {
				why = texts.Known(err.Error())
			}
			g.loginDone(l, why, 0)
		})
	}()
}

// loginDone tells the machine what came of a password, and with it the player.
func (g *Game) loginDone(l *link, why texts.Text, wait time.Duration) {
	g.step(&game.Input{Kind: game.Login, Link: l.id, Level: l.level(), Why: why.String(), By: wait})
}
