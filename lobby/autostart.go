package lobby

import (
	"slices"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// reminder is the interval at which players are told why the lobby has not started yet. It is longer than three pings
// take, so that a lobby that starts without a problem sends no reminder.
const reminder = 20 * time.Second

// evenWait is how long a lobby that starts with even teams waits for players who would make the teams more even. The
// present players are balanced as well as possible by then.
const evenWait = time.Minute

// autoStart is the state of the automatic start, which is checked after each event.
type autoStart struct {
	AutoStart

	after      time.Duration // start when enough players have been there for this long; 0 means off
	enoughAt   time.Duration // when there were enough players first, or never
	since      time.Duration // since when the condition holds, or never
	due        time.Duration // when the passage of time alone may start the lobby
	remindedAt time.Duration

	awaits bool        // the start waits only for a call of BalanceResult
	judged []w3gs.Slot // slot table at the last call of BalanceResult, or nil if it changed since
	uneven texts.Text  // result of that call: why the teams are uneven
}

func newAutoStart(op AutoStart, after time.Duration) autoStart {
	return autoStart{AutoStart: op, after: after, enoughAt: never, since: never, due: never}
}

func (a *autoStart) on() bool { return a.Full || a.Players > 0 || a.after > 0 }

// text describes the rule for the automatic start to players.
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

// autoStart begins the countdown if the automatic start's conditions hold and nothing blocks the start.
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

// enough reports whether the lobby has as many players as the automatic start needs.
func (l *Lobby) enough() bool {
	c, a := l.Counts(), &l.auto
	return a.Players > 0 && c.Humans >= a.Players || a.Full && c.Open == 0
}

// missing returns how many more players the automatic start needs.
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

// sayMissing announces how many players are missing, and tells the new player p to type !ready if that is required.
func (l *Lobby) sayMissing(p *player) {
	if n := l.missing(); n > 0 {
		l.sayText(0, waitsFor(n))
	}
	if l.auto.Ready && l.auto.on() {
		l.say(w3gs.Only(p.pid), "The game starts when all are ready: type %sready.", l.cfg.Voice.Trigger)
	}
}

// awaitPlayers records since when there are enough players for the start after a wait.
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

// remind announces what the start waits for, at most once per reminder.
func (l *Lobby) remind(why texts.Text) {
	if l.now >= l.auto.remindedAt+reminder {
		l.auto.remindedAt = l.now
		l.sayText(0, texts.Sentence(texts.Of("Waiting to start: %v", why)))
	}
}

// AwaitsBalance reports whether the automatic start waits for a call of BalanceResult.
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

// ready returns the number of human players who are ready, and of all.
func (l *Lobby) ready() (ready, all int) {
	humans := l.seated(false)
	for _, p := range humans {
		if p.ready {
			ready++
		}
	}
	return ready, len(humans)
}
