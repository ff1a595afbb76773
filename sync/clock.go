package gamesync

import "time"

// suspendGrace is how long nobody is dropped after a suspension of the host: it must
// first read what clients have sent meanwhile.
const suspendGrace = time.Second

// clock is the time of a game, which stands still while the host is suspended.
type clock struct {
	now           time.Duration // of the last call
	suspended     time.Duration // real time that the host was suspended
	suspendedTurn time.Duration // the part of it since the last turn
	t             time.Duration // now - suspended: the time that all rules go by
}

// enter begins a call and notices that the host was suspended. That time counts in no
// rule but one: clients have waited for the renewal of the lag screen. It returns false
// when the game is over.
func (l *Loop) enter(now time.Duration) bool {
	l.now = max(now, l.now)
	before := l.t
	l.t = l.now - l.suspended
	if l.phase == running {
		l.skipSuspension()
	} else if at, ok := l.next(); ok && l.t-at > suspendGrace {
		l.suspend(l.t - max(at-suspendGrace, before))
	}
	return l.phase != over
}

// skipSuspension leaves one turn due if more than CatchUp are.
func (l *Loop) skipSuspension() {
	if l.t-l.pace.due > time.Duration(l.cfg.CatchUp)*l.pace.period {
		l.suspend((l.t - l.pace.due) / l.pace.period * l.pace.period)
	}
}

func (l *Loop) suspend(d time.Duration) {
	l.suspended += d
	l.suspendedTurn += d
	l.t -= d
	l.screen.renewAt -= d
	l.lateness.now = max(l.lateness.now, d)
}
