package loop

import "time"

const (
	// lateWake is how late a wake-up counts as late.
	lateWake = time.Millisecond
	// busyFor is how long the machine counts as busy after the second of two late wake-ups within this time.
	busyFor = 5 * time.Second
	// lead is how long before a turn the loop wakes on a busy machine: a tick of a kernel with 250 Hz.
	lead = 4 * time.Millisecond
	// longWait is the shortest wait with an early wake-up: loops with many games wake often enough.
	longWait = 10 * time.Millisecond
)

// early wakes the loop a little before a turn while other programs keep the machine busy. The scheduler of Linux
// prefers threads that have waited for a CPU: a thread that has slept for long waits up to some ticks beside busy
// programs, and one that waited shortly before runs at once. The early wake-up takes that wait before the turn.
type early struct {
	alarm time.Duration // when the loop is to wake; never: by news only
	late  time.Duration // the last late wake-up; 0: none
	until time.Duration // when the machine no longer counts as busy
}

// woken judges the wait that has ended.
func (e *early) woken(now time.Duration) {
	if e.alarm < never && now-e.alarm >= lateWake {
		if e.late > 0 && now-e.late < busyFor {
			e.until = now + busyFor
		}
		e.late = now
	}
	e.alarm = never
}

// wait returns when to wake for a turn that is due later.
func (e *early) wait(now, due time.Duration) time.Duration {
	if now < e.until && due < never && due-now > longWait {
		return due - lead
	}
	return due
}
