package host

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// lateNotice is how late a turn must be for the transfers to hear of it.
const lateNotice = time.Millisecond

// lateness is what is known of how late turns of all games were sent: figures
// for the operator, and the newest news for the lobbies, whose transfers make
// way for games. Noting a turn takes two atomic operations.
type lateness struct {
	counts [64 * lateSteps]atomic.Uint64
	max    atomic.Int64 // ns
	worst  atomic.Int64 // ns, of the newest news
	seq    atomic.Uint64
}

// lateSteps divide each doubling of the lateness, which keeps the figures
// within an eighth.
const lateSteps = 8

func (l *lateness) note(late time.Duration) {
	late = max(late, 0)
	l.counts[lateBucket(late)].Add(1)
	if late < lateNotice {
		return
	}
	l.worst.Store(int64(late))
	l.seq.Add(1)
	for old := l.max.Load(); int64(late) > old; old = l.max.Load() {
		if l.max.CompareAndSwap(old, int64(late)) {
			break
		}
	}
}

// since returns the newest lateness if there is any after seq.
func (l *lateness) since(seq uint64) (late time.Duration, now uint64) {
	if now = l.seq.Load(); now == seq {
		return 0, now
	}
	return time.Duration(l.worst.Load()), now
}

// Lateness is how late the turns of all games were sent, as far as the host
// can see. A quantile is rounded up, by an eighth at the most.
type Lateness struct {
	Turns          uint64
	P50, P99, P999 time.Duration
	Max            time.Duration // 0 when none was later than a millisecond
}

// Lateness tells how late turns were sent since the host began.
func (h *Host) Lateness() Lateness { return h.lateness.sum() }

func (l *lateness) sum() Lateness {
	var s Lateness
	var counts [len(l.counts)]uint64
	for i := range counts {
		counts[i] = l.counts[i].Load()
		s.Turns += counts[i]
	}
	quantile := func(share float64) time.Duration {
		left := uint64(share * float64(s.Turns))
		for i, n := range counts {
			if n > left {
				return lateBound(i)
			}
			left -= n
		}
		return 0
	}
	s.P50, s.P99, s.P999 = quantile(0.5), quantile(0.99), quantile(0.999)
	s.Max = time.Duration(l.max.Load())
	return s
}

// MarshalZerologObject writes the figures as fields of a log line, in
// milliseconds.
func (s Lateness) MarshalZerologObject(e *zerolog.Event) {
	ms := func(d time.Duration) float64 { return float64(d.Round(time.Microsecond)) / float64(time.Millisecond) }
	e.Uint64("turns", s.Turns).Float64("late_p50_ms", ms(s.P50)).Float64("late_p99_ms", ms(s.P99)).
		Float64("late_p999_ms", ms(s.P999)).Float64("late_max_ms", ms(s.Max))
}

func lateBucket(late time.Duration) int {
	ns := uint64(late)
	if ns < lateSteps {
		return int(ns)
	}
	shift := bits.Len64(ns) - bits.Len64(lateSteps)
	return (shift+1)*lateSteps + int(ns>>shift) - lateSteps
}

// lateBound is the upper end of a bucket.
func lateBound(i int) time.Duration {
	if i < 2*lateSteps {
		return time.Duration(i)
	}
	shift := i/lateSteps - 1
	return time.Duration(uint64(i%lateSteps+lateSteps+1)<<shift - 1)
}
