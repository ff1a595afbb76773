package lobby

import (
	"time"

	"w3host/texts"
)

// startWait is how long a manual start waits for round-trip measurements. A measurement takes a little more than two
// seconds.
const startWait = 3 * time.Second

func (op Start) apply(l *Lobby) *texts.Refusal {
	switch no := l.blocked(); {
	case l.Humans() == 0:
		return texts.Refuse(texts.NoSuch, "the lobby is empty")
	case l.phase == phaseCounting && !op.Now:
		return texts.Refuse(texts.Counting, "the countdown is already running")
	case op.Force:
	case no != nil:
		return texts.Refuse(no.Code, "%v. Use %sstart force to start anyway", no.Text, l.cfg.Voice.Trigger)
	case l.startBy > 0:
		return texts.Refuse(texts.Counting, "the game is about to start; measuring pings: %v", l.unmeasured())
	}
	if pings := l.unmeasured(); !op.Force && !pings.Empty() {
		l.startBy = l.now + startWait
		l.say(0, "Measuring pings, for %v at most: %v. Use %sstart force to start right now.", startWait, pings, l.cfg.Voice.Trigger)
		return nil
	}
	l.beginCountdown(op.Force, op.Now)
	return nil
}

func (Abort) apply(l *Lobby) *texts.Refusal {
	if l.phase != phaseCounting && l.startBy == 0 {
		return texts.Refuse(texts.NoSuch, "no countdown is running")
	}
	l.auto = newAutoStart(AutoStart{}, 0)
	if l.startBy > 0 {
		l.startBy = 0
		l.say(0, "The start is canceled.")
	}
	l.abort(texts.Text{})
	return nil
}

// unmeasured lists the players whose round trip is not measured yet, for a manual start. It is empty if there are none.
// An automatic start does not wait for pings, because there is no person who looks at them.
func (l *Lobby) unmeasured() texts.Text {
	var names []texts.Text
	for _, p := range l.seated(false) {
		if p.measured < l.cfg.Start.Pings {
			names = append(names, texts.Of("%s (%d of %d)", p.name, p.measured, l.cfg.Start.Pings))
		}
	}
	if l.cfg.Pace.PingEvery <= 0 || names == nil {
		return texts.Text{}
	}
	return texts.Join(names, ", ")
}

// awaitStart begins the countdown of a waiting manual start when all round trips are measured or the time is over.
func (l *Lobby) awaitStart() {
	if l.phase != phaseOpen || l.Humans() == 0 {
		l.startBy = 0
	}
	if l.startBy == 0 {
		return
	}
	switch no := l.blocked(); {
	case l.now < l.startBy && (no != nil || !l.unmeasured().Empty()):
		return
	case no != nil:
		l.startBy = 0
		l.sayText(0, texts.Sentence(texts.Of("The game does not start: %v", no.Text)))
	default:
		l.startBy = 0
		l.beginCountdown(false, false)
	}
}
