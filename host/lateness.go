package host

import (
	"math/bits"
	"time"

	"github.com/rs/zerolog"
)

// lateNotice is how late a turn must be for the transfers to hear of it.
const lateNotice = time.Millisecond

// lateSteps divide each doubling of the lateness, which keeps the quantiles
// within an eighth.
const lateSteps = 8

// lateness is how late turns of all games were sent, as far as the host can see:
// figures for the operator, and the newest news for the lobbies, whose transfers
// make way for games. It belongs to the goroutine of the shard.
type lateness struct {
	counts [64 * lateSteps]uint64
	turns  uint64
	max    time.Duration
	newest time.Duration // of the turns that were noticeably late
	seq    uint64        // counts those
}

func (l *lateness) note(late time.Duration) {
	late = max(late, 0)
	l.counts[lateBucket(late)]++
	l.turns++
	l.max = max(l.max, late)
	if late >= lateNotice {
		l.newest = late
		l.seq++
	}
}

// quantile is rounded up, by an eighth at the most.
func (l *lateness) quantile(share float64) time.Duration {
	left := uint64(share * float64(l.turns))
	for i, n := range l.counts {
		if n > left {
			return lateBound(i)
		}
		left -= n
	}
	return 0
}

// MarshalZerologObject writes the figures as fields of a log line, in
// milliseconds.
func (l *lateness) MarshalZerologObject(e *zerolog.Event) {
	ms := func(d time.Duration) float64 { return float64(d.Round(time.Microsecond)) / float64(time.Millisecond) }
	e.Uint64("turns", l.turns).Float64("late_p50_ms", ms(l.quantile(0.5))).Float64("late_p99_ms", ms(l.quantile(0.99))).
		Float64("late_p999_ms", ms(l.quantile(0.999))).Float64("late_max_ms", ms(l.max))
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
