package lobby

import (
	"time"

	"w3host/texts"
)

// warnBefore is how long before an idle lobby closes its players are warned; at
// most a quarter of the limit.
const warnBefore = time.Minute

// closing is when and why the lobby closes if nothing happens, and how long
// before that the players are told.
func (l *Lobby) closing() (at, lead time.Duration, why texts.Text) {
	at = never
	soonest := func(since, limit time.Duration, reason texts.Text) {
		if t := since + limit; limit > 0 && t < at {
			at, lead, why = t, min(warnBefore, limit/4), reason
		}
	}
	switch {
	case l.phase != phaseOpen:
	case l.Humans() > 0:
		soonest(l.activeAt, l.cfg.IdleAfter, texts.Of("nobody did anything"))
		// One that starts by itself does not need its owner.
		if p := l.ownerIn(); p != nil && !l.auto.on() {
			soonest(p.activeAt, l.cfg.OwnerAFKAfter, texts.Of("its owner is away"))
		}
	case l.joins > 0:
		soonest(l.activeAt, l.cfg.AbandonedAfter, texts.Of("everybody has left"))
		lead = 0
	}
	return at, lead, why
}

// closeIdle warns the players, and closes the lobby when the time has come.
func (l *Lobby) closeIdle() {
	switch at, lead, why := l.closing(); {
	case l.now >= at:
		Shutdown{Why: why}.apply(l)
	case l.now >= at-lead && l.warned != at:
		l.warned = at
		l.say(0, "The lobby closes in %v: %v.", (at - l.now).Round(time.Second), why)
	}
}

// closeIdleDue is when closeIdle has something to do.
func (l *Lobby) closeIdleDue() time.Duration {
	at, lead, _ := l.closing()
	if l.warned == at {
		return at
	}
	return at - lead
}
