package host

import (
	"bytes"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

func TestLatenessFigures(t *testing.T) {
	l := newLateness()
	for i := range 1000 {
		l.note(time.Duration(i+1) * 10 * time.Microsecond) // 10 µs … 10 ms
	}
	l.note(-time.Millisecond) // early is not late
	var b bytes.Buffer
	log := zerolog.New(&b)
	log.Info().EmbedObject(&l).Send()
	const want = `{"level":"info","turns":1001,"late_p50_ms":5.023,"late_p99_ms":9.919,"late_p999_ms":10.047,"late_max_ms":10.047}` + "\n"
	if b.String() != want {
		t.Errorf("logged %s\nwant %s", &b, want)
	}
	l.note(time.Hour)
	if most := l.counts.Max(); most < latestCounted.Microseconds() {
		t.Errorf("an hour counts as %d µs", most)
	}
}

// Transfers hear of a late turn, and not of a timely one.
func TestLatenessNews(t *testing.T) {
	l := newLateness()
	if l.note(lateNotice / 2); l.seq != 0 {
		t.Errorf("news of a timely turn: %v", l.newest)
	}
	if l.note(3 * time.Millisecond); l.seq != 1 || l.newest != 3*time.Millisecond {
		t.Errorf("%d news, %v", l.seq, l.newest)
	}
}
