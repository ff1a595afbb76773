package lan

import (
	"net/netip"
	"testing"
	"time"
)

func TestLimitOneSource(t *testing.T) {
	l := newLimiter()
	now := time.Unix(100, 0)
	a, b := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	for _, tt := range []struct {
		after     time.Duration
		from      netip.Addr
		ask, want int
	}{
		{0, a, 60, 60},
		{0, a, 60, sourceBurst - 60}, // as many as are left
		{0, a, 1, 0},
		{0, b, 1, 1}, // others are not held back
		{500 * time.Millisecond, a, 100, sourceRate / 2},
		{time.Hour, a, 1000, sourceBurst},
		{-time.Hour, a, 1, 0}, // a clock set back gives nothing
	} {
		now = now.Add(tt.after)
		if got := l.take(now, tt.from, tt.ask); got != tt.want {
			t.Errorf("after %v: %v asked for %d and got %d, want %d", tt.after, tt.from, tt.ask, got, tt.want)
		}
	}
}

// Forged sources, each new, share what everybody gets, and are forgotten.
func TestLimitManySources(t *testing.T) {
	l := newLimiter()
	now := time.Unix(100, 0)
	source := netip.MustParseAddr("10.0.0.0")
	ask := func() int {
		source = source.Next()
		return l.take(now, source, 1)
	}
	granted := 0
	for range 10 * maxSources {
		granted += ask()
	}
	if granted != totalBurst || len(l.sources) != totalBurst {
		t.Errorf("%d answers were granted and %d sources remembered, want %d", granted, len(l.sources), totalBurst)
	}
	for range 60 * totalRate { // a minute at exactly the rate
		now = now.Add(time.Second / totalRate)
		if ask() != 1 {
			t.Fatal("a source within the total rate got no answer")
		}
		if len(l.sources) > maxSources {
			t.Fatalf("%d sources are remembered, want %d at most", len(l.sources), maxSources)
		}
	}
}

// A table full of sources that all ask too much takes no further one.
func TestLimitTableFull(t *testing.T) {
	l := newLimiter()
	now := time.Unix(100, 0)
	source := netip.MustParseAddr("10.0.0.0")
	for range maxSources {
		source = source.Next()
		l.sources[source] = &bucket{at: now}
	}
	newcomer := source.Next()
	if l.take(now, newcomer, 1) != 0 || len(l.sources) != maxSources {
		t.Errorf("a newcomer got an answer; %d sources", len(l.sources))
	}
	now = now.Add(10 * time.Second) // they have their tokens back
	if l.take(now, newcomer, 1) != 1 || len(l.sources) != 1 {
		t.Errorf("a newcomer got none later; %d sources", len(l.sources))
	}
}
