package host

import (
	"testing"
	"time"
)

func TestLatenessQuantiles(t *testing.T) {
	var l lateness
	for i := range 1000 {
		l.note(time.Duration(i+1) * 10 * time.Microsecond) // 10 µs … 10 ms
	}
	l.note(-time.Millisecond) // early is not late
	if l.turns != 1001 || l.max != 10*time.Millisecond {
		t.Errorf("%d turns, at most %v", l.turns, l.max)
	}
	for _, q := range []struct {
		name      string
		got, want time.Duration
	}{{"p50", l.quantile(0.5), 5 * time.Millisecond}, {"p99", l.quantile(0.99), 9900 * time.Microsecond}, {"p99.9", l.quantile(0.999), 9990 * time.Microsecond}} {
		if q.got < q.want*99/100 || q.got > q.want*9/8+1 {
			t.Errorf("%s = %v, want %v to an eighth more", q.name, q.got, q.want)
		}
	}
}

// Every duration lies within the bounds of its bucket, and bounds rise.
func TestLatenessBuckets(t *testing.T) {
	for i := 1; i < 40*lateSteps; i++ {
		if lateBound(i) <= lateBound(i-1) {
			t.Fatalf("bound %d is %v, not above %v", i, lateBound(i), lateBound(i-1))
		}
	}
	for d := time.Duration(1); d < time.Hour; d += d/7 + 1 {
		if i := lateBucket(d); d > lateBound(i) || i > 0 && d <= lateBound(i-1) {
			t.Fatalf("%v is in bucket %d of up to %v", d, i, lateBound(i))
		}
	}
}

// Transfers hear of a late turn, and not of a timely one.
func TestLatenessNews(t *testing.T) {
	var l lateness
	if l.note(lateNotice / 2); l.seq != 0 {
		t.Errorf("news of a timely turn: %v", l.newest)
	}
	if l.note(3 * time.Millisecond); l.seq != 1 || l.newest != 3*time.Millisecond {
		t.Errorf("%d news, %v", l.seq, l.newest)
	}
}
