package host

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/rs/zerolog"
)

const (
	// lateNotice is how late a turn must be for the transfers to hear of it.
	lateNotice = time.Millisecond
	// latestCounted bounds the lateness that is told apart; later turns count as this late.
	latestCounted = time.Minute
)

// lateness is how late turns of all games were sent, as far as the host can see:
// figures for the operator, and the newest news for the lobbies, whose transfers
// make way for games. It belongs to the goroutine of the shard.
type lateness struct {
	counts *hdrhistogram.Histogram // in µs
	newest time.Duration           // of the turns that were noticeably late
	seq    uint64                  // counts those
}

func newLateness() lateness {
	return lateness{counts: hdrhistogram.New(1, latestCounted.Microseconds(), 2)}
}

func (l *lateness) note(late time.Duration) {
	_ = l.counts.RecordValue(min(max(late, 0), latestCounted).Microseconds()) // within its bounds
	if late >= lateNotice {
		l.newest = late
		l.seq++
	}
}

// MarshalZerologObject writes the figures as fields of a log line, in
// milliseconds.
func (l *lateness) MarshalZerologObject(e *zerolog.Event) {
	ms := func(percent float64) float64 { return float64(l.counts.ValueAtQuantile(percent)) / 1000 }
	e.Int64("turns", l.counts.TotalCount()).Float64("late_p50_ms", ms(50)).Float64("late_p99_ms", ms(99)).
		Float64("late_p999_ms", ms(99.9)).Float64("late_max_ms", ms(100))
}
