package loop

import "time"

// heartEvery is the time between two heartbeats while there are groups.
const heartEvery = time.Second

// heart calls a function at regular intervals, in a pass that happens anyway where there is
// one: a loop that turns ten times a second is not woken for its heartbeat.
type heart struct {
	beats func() // nil: there is no heartbeat
	idle  time.Duration
	last  time.Duration
	rests bool // there was no group at the last beat
}

// Beat has the loop call beats on its goroutine once a second, and at the interval idle while
// it has no group, each time up to heartDelay late. beats must not block. Beat must be called
// before Run.
func (l *Loop) Beat(idle time.Duration, beats func()) {
	l.heart = heart{beats: beats, idle: idle}
}

// beatDue is when the next heartbeat is due.
func (l *Loop) beatDue() time.Duration {
	switch {
	case l.heart.beats == nil:
		return never
	case l.heart.rests && len(l.deadlines) == 0:
		return l.heart.last + l.heart.idle
	}
	return l.heart.last + heartEvery
}

// beatWake is when the loop wakes for a heartbeat if nothing else wakes it before.
func (l *Loop) beatWake() time.Duration {
	if due := l.beatDue(); due < never {
		return due + heartDelay
	}
	return never
}

func (l *Loop) beat() {
	if l.now >= l.beatDue() {
		l.heart.last, l.heart.rests = l.now, len(l.deadlines) == 0
		l.heart.beats()
	}
}
