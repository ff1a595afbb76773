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
	players int
	full    bool
	ready   bool // everybody has to be
	hold    time.Duration

	after    time.Duration // start when there have been enough players for so long
	enough   bool          // there are since then
	enoughAt time.Duration

	balanced  bool
	judgement judgement

	met    bool // the condition has held since then
	since  time.Duration
	toldAt time.Duration
}

// text says it to the players.
func (a autoStart) text() texts.Text {
	line := texts.Count(a.players, "The game starts by itself with %d player", "The game starts by itself with %d players")
	switch {
	case a.full && a.players == 0:
		line = texts.Of("The game starts by itself when no slot is open")
	case a.full:
		line = texts.Of("%v or when no slot is open", line)
	case a.players == 0:
		return texts.Of("The game does not start by itself.")
	}
	if a.ready {
		line = texts.Of("%v and all ready", line)
	}
	if a.hold > 0 {
		line = texts.Of("%v, after %g min", line, a.hold.Minutes())
	}
	if a.balanced {
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
	l.auto = autoStart{players: op.Players, full: op.Full, ready: op.Ready, hold: op.Hold, balanced: op.Balanced}
	l.tell(0, l.auto.text())
	return nil
}

// autoStart begins the countdown once enough players are in and nothing is in
// the way.
func (l *Lobby) autoStart() {
	a := &l.auto
	if l.phase != phaseOpen || !a.full && a.players == 0 && a.after == 0 {
		return
	}
	if !l.judged() {
		a.judgement = judgement{}
	}
	c := l.Counts()
	l.awaitPlayers(c.Humans)
	late := a.enough && l.now >= a.enoughAt+a.after
	if c.Humans == 0 || !late && !(a.players > 0 && c.Humans >= a.players) && !(a.full && c.Open == 0) {
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
	if _, waits := l.autoStartDue(); waits {
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

// autoStartDue is when time alone lets the lobby start by itself.
func (l *Lobby) autoStartDue() (at time.Duration, waits bool) {
	if l.phase == phaseOpen && l.auto.enough && !l.auto.met {
		at = l.auto.enoughAt + l.auto.after
		return at, at > l.now
	}
	if l.phase != phaseOpen || !l.auto.met {
		return 0, false
	}
	at = l.auto.since + l.auto.hold
	if l.left != "" {
		at = max(at, l.leftAt+l.cfg.QuietAfterLeave)
	}
	return at, at > l.now
}
