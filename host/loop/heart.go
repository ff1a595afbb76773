package loop

import "time"

// heartEvery is the interval of heartbeats while there are groups.
const heartEvery = time.Second

// heart calls a function at regular intervals. If possible it waits for a pass that happens anyway,
// so that a loop with ten turns a second does not wake up for it.
type heart struct {
	beats func() // nil: there is no heartbeat
	idle  time.Duration
	last  time.Duration
	rests bool // there was no group at the last beat
}

// Beat makes the loop call beats once a second, or at the interval idle while there are no groups,
// each time up to heartDelay late. beats must not block. Call Beat before Run.
func (l *Loop) Beat(idle time.Duration, beats func()) {
	l.heart = heart{beats: beats, idle: idle}
}

// beatDue returns the time of the next heartbeat.
func (l *Loop) beatDue() time.Duration {
	switch {
	case l.heart.beats == nil:
		return never
	case l.heart.rests && len(l.deadlines) == 0:
		return l.heart.last + l.heart.idle
	}
	return l.heart.last + heartEvery
}

// beatWake returns the time at which the loop wakes for the heartbeat if nothing else wakes it
// earlier.
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
