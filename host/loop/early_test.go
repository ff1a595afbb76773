package loop

import (
	"testing"
	"time"
)

// TestEarly: the loop wakes before a turn only after two late wake-ups shortly after one another, only if it
// sleeps for long, and no longer once wake-ups are punctual.
func TestEarly(t *testing.T) {
	const ms, turn = time.Millisecond, 100 * time.Millisecond
	e := early{alarm: never}
	now, leads := time.Duration(0), 0
	play := func(turns int, late time.Duration) (early int) {
		leads = 0
		for range turns {
			due := now + turn
			e.alarm = e.wait(now, due)
			if e.alarm < due {
				leads++
				now = e.alarm + late
				e.woken(now)
				e.alarm = e.wait(now, due)
			}
			now = max(now, due+late)
			e.woken(now)
		}
		return leads
	}
	for _, step := range []struct {
		what        string
		turns       int
		late        time.Duration
		least, most int
	}{
		{"a quiet machine", 100, 0, 0, 0},
		{"a single late turn", 1, 9 * ms, 0, 0},
		{"a quiet machine behind it", 100, ms / 2, 0, 0},
		{"a busy machine", 10, 3 * ms, 8, 8},
		{"the time that it counts as busy", 49, 0, 49, 49},
		{"a quiet machine again", 100, 0, 0, 2},
	} {
		if n := play(step.turns, step.late); n < step.least || n > step.most {
			t.Errorf("%s: %d early wake-ups in %d turns, want %d to %d", step.what, n, step.turns, step.least, step.most)
		}
	}
	e.until = never
	if at := e.wait(now, now+longWait); at != now+longWait {
		t.Errorf("a short wait is cut to %v", at-now)
	}
	if at := e.wait(now, never); at != never {
		t.Errorf("a wait without a deadline ends at %v", at)
	}
	if e.woken(now); e.alarm != never {
		t.Error("an alarm outlasts the wait")
	}
}
