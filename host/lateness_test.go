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
	s := l.sum()
	if s.Turns != 1001 || s.Max != 10*time.Millisecond {
		t.Errorf("%+v", s)
	}
	for _, q := range []struct {
		name      string
		got, want time.Duration
	}{{"p50", s.P50, 5 * time.Millisecond}, {"p99", s.P99, 9900 * time.Microsecond}, {"p99.9", s.P999, 9990 * time.Microsecond}} {
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

// Transfers hear of a late turn once, and not of a timely one.
func TestLatenessNews(t *testing.T) {
	var l lateness
	l.note(lateNotice / 2)
	if late, seq := l.since(0); late != 0 || seq != 0 {
		t.Errorf("news of a timely turn: %v", late)
	}
	l.note(3 * time.Millisecond)
	late, seq := l.since(0)
	if late != 3*time.Millisecond {
		t.Errorf("got %v", late)
	}
	if late, _ := l.since(seq); late != 0 {
		t.Errorf("told twice: %v", late)
	}
}
