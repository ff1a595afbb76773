package lobby

import (
	"time"

	"w3host/texts"
)

// startWait is how long a start by hand waits for round trips that are not measured yet.
// Measuring one takes two seconds and a little more.
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

// unmeasured names the players whose round trip is not yet measured; empty: there are none. A
// start by itself does not wait for it: nobody looks at the pings.
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

// awaitStart begins the countdown of a start that waits, once all round trips are
// known or the time is over.
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
