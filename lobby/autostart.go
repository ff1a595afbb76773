package lobby

import (
	"time"

	"w3host/texts"
	"w3host/w3gs"
)

// reminder is how often the players hear why the lobby does not start yet. It is
// longer than three pings take, so that a lobby where all is well says nothing.
const reminder = 20 * time.Second

// autoStart is when a lobby starts by itself.
type autoStart struct {
	AutoStart

	after    time.Duration // start when there have been enough players for so long
	enough   bool          // there are since then
	enoughAt time.Duration

	judgement judgement

	met    bool // the condition has held since then
	since  time.Duration
	toldAt time.Duration
}

func (a *autoStart) on() bool { return a.Full || a.Players > 0 || a.after > 0 }

// text says it to the players.
func (a autoStart) text() texts.Text {
	line := texts.Count(a.Players, "The game starts by itself with %d player", "The game starts by itself with %d players")
	switch {
	case a.Full && a.Players == 0:
		line = texts.Of("The game starts by itself when no slot is open")
	case a.Full:
		line = texts.Of("%v or when no slot is open", line)
	case a.Players == 0:
		return texts.Of("The game does not start by itself.")
	}
	if a.Ready {
		line = texts.Of("%v and all ready", line)
	}
	if a.Hold > 0 {
		line = texts.Of("%v, after %g min", line, a.Hold.Minutes())
	}
	if a.Balanced {
		line = texts.Of("%v, once the teams are even", line)
	}
	return texts.Of("%v.", line)
}

func (op AutoStart) apply(l *Lobby) *Refusal {
	seats := 0
	for _, s := range l.slots {
		if s.Status != w3gs.SlotClosed && !s.Computer {
			seats++
		}
	}
	if op.Players < 0 || op.Players > seats {
		return outOfRange("number of players", 1, seats)
	}
	l.auto = autoStart{AutoStart: op}
	l.tell(0, l.auto.text())
	return nil
}

// autoStart begins the countdown once enough players are in and nothing is in
// the way.
func (l *Lobby) autoStart() {
	a := &l.auto
	if l.phase != phaseOpen || !a.on() {
		return
	}
	if !l.judged() {
		a.judgement = judgement{}
	}
	c := l.Counts()
	l.awaitPlayers(c.Humans)
	late := a.enough && l.now >= a.enoughAt+a.after
	if c.Humans == 0 || !late && !(a.Players > 0 && c.Humans >= a.Players) && !(a.Full && c.Open == 0) {
		a.met = false
		return
	}
	if l.waitsForReady() {
		a.met = false
		l.remindReady()
		return
	}
	if !a.met {
		a.met, a.since, a.toldAt = true, l.now, l.now
	}
	if l.autoStartDue() > l.now {
		return
	}
	no := l.blocked()
	if no == nil {
		no = l.unbalanced()
	}
	if no == nil {
		l.forced = false
		l.beginCountdown(false)
		return
	}
	if l.now >= a.toldAt+reminder {
		a.toldAt = l.now
		l.say(0, "Waiting to start: %v", no.Text)
	}
}

// awaitPlayers notes since when there are enough players.
func (l *Lobby) awaitPlayers(humans int) {
	a := &l.auto
	switch enough := a.after > 0 && humans >= max(l.cfg.MinPlayers, 1); {
	case enough && !a.enough:
		a.enough, a.enoughAt = true, l.now
		l.say(0, "The game starts in %v.", a.after)
	case !enough:
		a.enough = false
	}
}

// autoStartDue is when time alone may start the lobby; never while a condition is
// not met.
func (l *Lobby) autoStartDue() time.Duration {
	switch a := &l.auto; {
	case l.phase != phaseOpen || !a.met && !a.enough:
		return never
	case !a.met:
		return a.enoughAt + a.after
	case l.left != "":
		return max(a.since+a.Hold, l.leftAt+l.cfg.QuietAfterLeave)
	default:
		return a.since + a.Hold
	}
}

func (op Ready) apply(l *Lobby) *Refusal {
	return l.with(op.PID, func(p *player) *Refusal {
		switch {
		case p.ready && !op.Off:
			return Refuse(TooLate, "you are ready already")
		case !p.ready && op.Off:
			return Refuse(TooLate, "you are not ready as it is")
		}
		p.ready = !op.Off
		ready, all := l.ready()
		if op.Off {
			l.abort(texts.Of("%s is not ready", p.name))
			l.say(0, "%s is not ready: %d of %d are.", p.name, ready, all)
		} else {
			l.say(0, "%s is ready: %d of %d are.", p.name, ready, all)
		}
		return nil
	})
}

// ready counts the humans who are ready, and all.
func (l *Lobby) ready() (ready, all int) {
	for p := range l.seated {
		if p.fake {
			continue
		}
		if all++; p.ready {
			ready++
		}
	}
	return ready, all
}

// remindReady says now and then that somebody has to get ready.
func (l *Lobby) remindReady() {
	if l.now < l.auto.toldAt+reminder {
		return
	}
	l.auto.toldAt = l.now
	ready, all := l.ready()
	l.say(0, "Waiting to start: %d of %d are ready; type %sready.", ready, all, l.cfg.Trigger)
}

// waitsForReady reports whether the lobby starts by itself only when everybody
// is ready, and somebody is not.
func (l *Lobby) waitsForReady() bool {
	ready, all := l.ready()
	return l.auto.Ready && ready < all
}
