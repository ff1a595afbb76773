package allowance

import (
	"testing"
	"time"
)

// TestTake takes from a bound of three at once and one a second.
func TestTake(t *testing.T) {
	const cost, most = time.Second, 3 * time.Second
	var a Allowance
	for _, step := range []struct{ now, wait time.Duration }{
		{0, 0},
		{0, 0},
		{0, 0},           // three at once, also at the beginning
		{0, time.Second}, // the next comes back in a second
		{600 * time.Millisecond, 400 * time.Millisecond},
		{time.Second, 0}, // what was refused has cost nothing
		{time.Second, time.Second},
		{time.Hour, 0},
		{time.Hour, 0},
		{time.Hour, 0}, // no more than three gather
		{time.Hour, time.Second},
	} {
		if wait := a.Take(step.now, cost, most); wait != step.wait {
			t.Fatalf("at %v: wait %v, want %v", step.now, wait, step.wait)
		}
	}
}

// TestUse takes more than there is, which must come back first.
func TestUse(t *testing.T) {
	const most = 3 * time.Second
	var a Allowance
	a.Use(time.Minute, 5*time.Second)
	for at, want := range map[time.Duration]time.Duration{0: -2 * time.Second, 2 * time.Second: 0, 5 * time.Second: most, time.Hour: most} {
		if left := a.Left(time.Minute+at, most); left != want {
			t.Errorf("after %v %v are left, want %v", at, left, want)
		}
	}
	if wait := a.Take(time.Minute+2*time.Second, time.Second, most); wait != time.Second {
		t.Errorf("wait %v in debt, want a second", wait)
	}
}
