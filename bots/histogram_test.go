package bots

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The quantiles must be within 0.1 % of those of the sorted values, as docs/bots.md says.
func TestHistogramAgainstSortedValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	shapes := map[string]func() time.Duration{
		"turns of 100 ms": func() time.Duration {
			return 100*time.Millisecond + time.Duration(rng.NormFloat64()*float64(time.Millisecond))
		},
		"nanoseconds":      func() time.Duration { return time.Duration(rng.IntN(3000)) },
		"all magnitudes":   func() time.Duration { return time.Duration(1) << rng.IntN(38) },
		"one in a million": func() time.Duration { return time.Millisecond },
	}
	for name, draw := range shapes {
		t.Run(name, func(t *testing.T) {
			var h histogram
			values := make([]time.Duration, 20000)
			for i := range values {
				values[i] = draw()
				h.add(values[i])
			}
			slices.Sort(values)
			s := h.summary()
			for _, q := range []struct {
				name string
				got  time.Duration
				rank int
			}{{"p50", s.P50, 10000}, {"p99", s.P99, 19800}, {"p99.9", s.P999, 19980}, {"max", s.Max, 20000}} {
				want := values[q.rank-1]
				if off := (q.got - want).Abs(); off*1000 > want {
					t.Errorf("%s = %v, want %v within 0.1 %%", q.name, q.got, want)
				}
			}
			if s.Count != 20000 {
				t.Errorf("count %d", s.Count)
			}
		})
	}
}

func TestHistogramEdges(t *testing.T) {
	var h histogram
	if s := h.summary(); s != (Summary{}) {
		t.Errorf("empty: %+v", s)
	}
	h.add(-time.Second)
	h.add(100 * time.Hour)
	if s := h.summary(); s.Count != 2 || s.P50 != 0 || s.Max != 100*time.Hour {
		t.Errorf("out of range: %+v", s)
	}
}

func BenchmarkHistogram(b *testing.B) {
	var h histogram
	b.ReportAllocs()
	for b.Loop() {
		h.add(100 * time.Millisecond)
	}
}
