package host

import (
	"fmt"
	"testing"
	"time"
)

// A name or an address that has spent its allowance waits, whichever of the two it
// is, and no more are remembered than twice maxVisitors.
func TestTally(t *testing.T) {
	ty, now := newTally(5, 10*time.Minute), time.Now()
	for i := range 5 {
		if wait := ty.wait(now, "name ann", "addr 1"); wait != 0 {
			t.Errorf("attempt %d waits %v", i, wait)
		}
		ty.spend(now, "name ann", "addr 1")
	}
	for _, keys := range [][]string{{"name ann", "addr 2"}, {"name bob", "addr 1"}} {
		if wait := ty.wait(now, keys...); wait != 2*time.Minute {
			t.Errorf("%v waits %v, want 2m0s", keys, wait)
		}
	}
	if wait := ty.wait(now, "name bob", "addr 2"); wait != 0 {
		t.Errorf("somebody else waits %v", wait)
	}
	if wait := ty.wait(now.Add(2*time.Minute), "name ann"); wait != 0 {
		t.Errorf("after the time: %v", wait)
	}
	for i := range 3*maxVisitors + 10 {
		ty.spend(now, fmt.Sprint(i))
	}
	if n := len(ty.recent) + len(ty.older); n < maxVisitors || n > 2*maxVisitors {
		t.Errorf("%d are remembered", n)
	}
}

// Bounds that change hold for those who are known, too: what they have spent stays spent.
func TestTallyAdjust(t *testing.T) {
	ty, now := newTally(2, time.Minute), time.Now()
	for range 2 {
		ty.spend(now, "ann")
	}
	for _, tc := range []struct {
		burst int
		wait  time.Duration
	}{{2, 30 * time.Second}, {4, 15 * time.Second}, {1, time.Minute}} {
		ty.adjust(tc.burst, time.Minute)
		if wait := ty.wait(now, "ann"); wait != tc.wait {
			t.Errorf("with %d a minute: %v, want %v", tc.burst, wait, tc.wait)
		}
	}
	if ty.adjust(0, time.Minute); ty.spend(now, "bob") {
		t.Error("one was allowed where none is")
	}
}
