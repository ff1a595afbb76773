package lobby

import (
	"slices"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// reminder is how often the players hear why the lobby does not start yet. It is
// longer than three pings take, so that a lobby where all is well says nothing.
const reminder = 20 * time.Second

// evenWait is how long a lobby that starts with even teams waits for players who would
// make them more even. A Judge has made them as even as the players in it allow.
const evenWait = time.Minute

// autoStart is when a lobby starts by itself. It is looked at after each event.
type autoStart struct {
	AutoStart

	after      time.Duration // start when there have been enough players for so long
	enoughAt   time.Duration // there are since then, or never
	since      time.Duration // the condition has held since then, or never
	due        time.Duration // when time alone may start the lobby
	remindedAt time.Duration

	awaits bool        // only a Judge is missing
	judged []w3gs.Slot // the table that a Judge spoke of; nil: it is another by now
	uneven texts.Text  // what was said of it
}

func newAutoStart(op AutoStart, after time.Duration) autoStart {
	return autoStart{AutoStart: op, after: after, enoughAt: never, since: never, due: never}
}

func (a *autoStart) on() bool { return a.Full || a.Players > 0 || a.after > 0 }

// text says it to the players.
func (a AutoStart) text() texts.Text {
	line := texts.Count(a.Players, "The game starts automatically with %d player", "The game starts automatically with %d players")
	switch {
	case a.Full && a.Players == 0:
		line = texts.Of("The game starts automatically when every slot is taken")
	case a.Full:
		line = texts.Of("%v or when every slot is taken", line)
	case a.Players == 0:
		return texts.Of("The game does not start automatically.")
	}
	if a.Ready {
		line = texts.Of("%v, once everyone is ready", line)
	}
	if a.Hold > 0 {
		line = texts.Of("%v, after a wait of %v", line, a.Hold)
	}
	if a.Balanced {
		line = texts.Of("%v, once the teams are even", line)
	}
	return texts.Of("%v.", line)
}

func (op AutoStart) apply(l *Lobby) *texts.Refusal {
	c := l.Counts()
	if seats := c.Open + c.Players(); op.Players < 0 || op.Players > seats {
		return outOfRange("number of players", seats)
	}
	l.auto = newAutoStart(op, 0)
	l.sayText(0, op.text())
	return nil
}

// autoStart begins the countdown once enough players are in and nothing is in
// the way.
func (l *Lobby) autoStart() {
	a := &l.auto
	a.due, a.awaits = never, false
	if l.phase != phaseOpen || !a.on() {
		return
	}
	if !slices.EqualFunc(l.slots, a.judged, func(a, b w3gs.Slot) bool { return a.PID == b.PID && a.Team == b.Team && a.Status == b.Status }) {
		a.judged = nil
	}
	c := l.Counts()
	l.awaitPlayers(c.Humans)
	ready, all := l.ready()
	switch late := l.now >= a.due; {
	case c.Humans == 0 || !late && !l.enough():
		a.since = never
		return
	case a.Ready && ready < all:
		a.since = never
		l.remind(texts.Of("%d of %d are ready; type %sready", ready, all, l.cfg.Voice.Trigger))
		return
	case a.since == never:
		a.since, a.remindedAt = l.now, l.now
	}
	if a.due = max(a.since+a.Hold, l.quietUntil); l.now < a.due {
		return
	}
	switch no := l.blocked(); {
	case no != nil:
		l.remind(no.Text)
	case !a.Balanced || a.judged != nil && a.uneven.Empty():
		l.beginCountdown(false, false)
		l.countdown.byItself = l.enough()
	case l.now >= a.since+a.Hold+evenWait:
		l.say(0, "The teams could not be made more even. Starting anyway.")
		l.beginCountdown(false, false)
	default:
		a.awaits, a.due = a.judged == nil, a.since+a.Hold+evenWait
		why := a.uneven
		if a.awaits {
			why = texts.Of("the teams are not balanced yet")
		}
		l.remind(texts.Of("%v. The game starts in %v at the latest", why, (a.due - l.now).Round(time.Second)))
	}
}

// enough reports whether the players that the start by itself wants are in.
func (l *Lobby) enough() bool {
	c, a := l.Counts(), &l.auto
	return a.Players > 0 && c.Humans >= a.Players || a.Full && c.Open == 0
}

// missing returns how many more players the lobby needs before it starts by itself.
func (l *Lobby) missing() int {
	c, a := l.Counts(), &l.auto
	switch less := a.Players - c.Humans; {
	case a.Players == 0 && a.Full:
		return c.Open
	case a.Full:
		return min(less, c.Open)
	default:
		return less
	}
}

// sayMissing says how many players are missing, and to the player who has joined what to do.
func (l *Lobby) sayMissing(p *player) {
	if n := l.missing(); n > 0 {
		l.sayText(0, waitsFor(n))
	}
	if l.auto.Ready && l.auto.on() {
		l.say(w3gs.Only(p.pid), "The game starts when all are ready: type %sready.", l.cfg.Voice.Trigger)
	}
}

// awaitPlayers notes since when there are enough players.
func (l *Lobby) awaitPlayers(humans int) {
	a := &l.auto
	switch {
	case a.after == 0 || humans < max(l.cfg.Start.MinPlayers, 1):
		a.enoughAt = never
		return
	case a.enoughAt == never:
		a.enoughAt = l.now
		l.say(0, "The game starts in %v.", a.after)
	}
	a.due = a.enoughAt + a.after
}

// remind says now and then what the lobby waits for.
func (l *Lobby) remind(why texts.Text) {
	if l.now >= l.auto.remindedAt+reminder {
		l.auto.remindedAt = l.now
		l.sayText(0, texts.Sentence(texts.Of("Waiting to start: %v", why)))
	}
}

// AwaitsBalance reports whether a start by itself waits for a Judge.
func (l *Lobby) AwaitsBalance() bool { return l.auto.awaits }

func (op Ready) apply(l *Lobby) *texts.Refusal {
	if no := l.absent(op.PID); no != nil {
		return no
	}
	p := l.players[op.PID]
	switch {
	case p.ready && !op.Off:
		return texts.Refuse(texts.TooLate, "you are already marked as ready")
	case !p.ready && op.Off:
		return texts.Refuse(texts.TooLate, "you were not marked as ready")
	}
	p.ready = !op.Off
	if op.Off && (l.auto.Ready || l.mayStop(&p.Join)) {
		l.noteStop(&p.Join)
		l.abort(texts.Of("%s is not ready", p.name))
	}
	ready, all := l.ready()
	l.sayText(0, texts.If(op.Off, "%s is not ready any more (%d of %d ready).", "%s is ready (%d of %d ready).", p.name, ready, all))
	return nil
}

// ready counts the humans who are ready, and all.
func (l *Lobby) ready() (ready, all int) {
	humans := l.seated(false)
	for _, p := range humans {
		if p.ready {
			ready++
		}
	}
	return ready, len(humans)
}
