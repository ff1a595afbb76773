package gamesync

import "time"

// suspendGrace is how long after a suspension nobody is dropped, so that the host first reads what clients
// have sent meanwhile.
const suspendGrace = time.Second

// clock is the game's time, which stops while the host computer is suspended.
type clock struct {
	now           time.Duration // time of the last call
	suspended     time.Duration // total real time of suspensions
	suspendedTurn time.Duration // suspended time since the last turn
	t             time.Duration // now - suspended: the time used by all rules
}

// enter starts a call and detects suspensions of the host. Suspended time is ignored by all rules except one:
// clients still need the lag screen renewed in time. It returns false when the game is over.
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

// skipSuspension treats missed turns as a suspension if more than CatchUp are due, and leaves only one of
// them due.
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
