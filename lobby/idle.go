package lobby

import (
	"time"

	"w3host/texts"
)

// warnBefore is how long before closing an idle lobby its players are warned; at most a quarter of the limit.
const warnBefore = time.Minute

// closing returns when and why the lobby closes if nothing happens, and when the next step is due: first a warning to
// the players, then the closing.
func (l *Lobby) closing() (at, due time.Duration, why texts.Text) {
	at, due = never, never
	soonest := func(since, limit time.Duration, reason texts.Text) {
		if t := since + limit; limit > 0 && t < at {
			at, due, why = t, t-min(warnBefore, limit/4), reason
		}
	}
	switch {
	case l.phase != phaseOpen:
	case l.Humans() > 0:
		soonest(l.activeAt, l.cfg.Close.Idle, texts.Of("nobody was active"))
		// A lobby with automatic start does not need its owner.
		if p := l.ownerIn(); p != nil && !l.auto.on() {
			soonest(p.activeAt, l.cfg.Close.OwnerAFK, texts.Of("its owner is away"))
		}
	case l.joins > 0:
		soonest(l.activeAt, l.cfg.Close.Abandoned, texts.Of("everybody has left"))
		due = at
	}
	if l.warned == at {
		due = at
	}
	return at, due, why
}

// closeIdle warns the players or closes the lobby, if that is due.
func (l *Lobby) closeIdle() {
	switch at, due, why := l.closing(); {
	case l.now >= at:
		Shutdown{Why: why}.apply(l)
	case l.now >= due:
		l.warned = at
		l.say(0, "The lobby closes in %v: %v.", (at - l.now).Round(time.Second), why)
	}
}
