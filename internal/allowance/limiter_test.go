package allowance

import (
	"fmt"
	"testing"
	"time"
)

// A key that has used up its allowance waits, whichever keys are counted with it, and
// no more keys are remembered than two generations hold.
func TestLimiter(t *testing.T) {
	l, now := NewLimiter[string](5, 10*time.Minute), time.Unix(0, 0)
	for i := range 5 {
		if wait := l.Delay(now, "name ann", "addr 1"); wait != 0 {
			t.Errorf("event %d waits %v", i, wait)
		}
		l.Allow(now, "name ann", "addr 1")
	}
	for _, keys := range [][]string{{"name ann", "addr 2"}, {"name bob", "addr 1"}} {
		if wait := l.Delay(now, keys...); wait != 2*time.Minute {
			t.Errorf("%v waits %v, want 2m0s", keys, wait)
		}
		if l.Allow(now, keys...) {
			t.Errorf("%v is allowed a sixth event", keys)
		}
	}
	if wait := l.Delay(now, "name cid", "addr 3"); wait != 0 {
		t.Errorf("an unknown key waits %v", wait)
	}
	if wait := l.Delay(now.Add(2*time.Minute), "name ann"); wait != 0 {
		t.Errorf("after the time: %v", wait)
	}
	for i := range 3*GenerationSize + 10 {
		l.Allow(now, fmt.Sprint(i))
	}
	if n := l.Len(); n < GenerationSize || n > 2*GenerationSize {
		t.Errorf("%d keys are remembered", n)
	}
}

// A key is forgotten only when a whole generation of other keys came after it.
func TestLimiterForgets(t *testing.T) {
	l, now := NewLimiter[int](1, time.Hour), time.Unix(0, 0)
	const idle, active = -1, -2
	l.Allow(now, idle)
	l.Allow(now, active)
	for i := range 2*GenerationSize - 2 {
		if l.Allow(now, i); l.Delay(now, active) == 0 {
			t.Fatalf("after %d other keys, the active key is forgotten", i+1)
		}
		if i == GenerationSize {
			l.Allow(now, active)
		}
		if i < GenerationSize && !l.Knows(idle) {
			t.Fatalf("after %d other keys, the idle key is forgotten", i+1)
		}
	}
	if l.Knows(idle) {
		t.Error("the idle key is still remembered")
	}
}

// A new limit holds for known keys, too: used events stay used.
func TestLimiterSetLimit(t *testing.T) {
	l, now := NewLimiter[string](2, time.Minute), time.Unix(0, 0)
	for range 2 {
		l.Allow(now, "ann")
	}
	for _, tc := range []struct {
		burst int
		wait  time.Duration
	}{{2, 30 * time.Second}, {4, 15 * time.Second}, {1, time.Minute}} {
		l.SetLimit(tc.burst, time.Minute)
		if wait := l.Delay(now, "ann"); wait != tc.wait {
			t.Errorf("with %d a minute: %v, want %v", tc.burst, wait, tc.wait)
		}
	}
	if l.SetLimit(0, time.Minute); l.Allow(now, "bob") {
		t.Error("an event was allowed by a limit of none")
	}
}
