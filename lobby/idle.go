package lobby

import (
	"time"

	"w3host/texts"
)

// warnBefore is how long before a lobby closes for want of action its players
// hear of it; where the limit is short, a quarter of it.
const warnBefore = time.Minute

// closing is when the lobby closes if nothing happens, and how long before that
// the players are told; not ok if it does not.
func (l *Lobby) closing() (at, lead time.Duration, why texts.Text, ok bool) {
	soonest := func(since, limit time.Duration, reason texts.Text) {
		if t := since + limit; limit > 0 && (!ok || t < at) {
			at, lead, why, ok = t, min(warnBefore, limit/4), reason, true
		}
	}
	if l.phase != phaseOpen {
		return 0, 0, texts.Text{}, false
	}
	if l.Humans() == 0 {
		if l.joins > 0 {
			soonest(l.activeAt, l.cfg.AbandonedAfter, texts.Of("everybody has left"))
		}
		return at, 0, why, ok
	}
	soonest(l.activeAt, l.cfg.IdleAfter, texts.Of("nobody did anything"))
	// One that starts by itself does not need its owner.
	if p := l.ownerIn(); p != nil && !l.auto.full && l.auto.players == 0 && l.auto.after == 0 {
		soonest(p.activeAt, l.cfg.OwnerAFKAfter, texts.Of("its owner is away"))
	}
	return at, lead, why, ok
}

// closeIdle warns the players, and closes the lobby when the time has come.
func (l *Lobby) closeIdle() {
	at, lead, why, ok := l.closing()
	switch {
	case !ok:
	case l.now >= at:
		Shutdown{Why: why}.apply(l)
	case l.now >= at-lead && l.warned != at:
		l.warned = at
		l.say(0, "The lobby closes in %v: %v.", (at - l.now).Round(time.Second), why)
	}
}

// closeIdleDue is when closeIdle has something to do.
func (l *Lobby) closeIdleDue() (at time.Duration, ok bool) {
	at, lead, _, ok := l.closing()
	if ok && l.warned != at {
		at -= lead
	}
	return at, ok
}

// act notes that somebody did something.
func (l *Lobby) act(p *player) {
	l.activeAt = l.now
	if p != nil {
		p.activeAt = l.now
	}
}
