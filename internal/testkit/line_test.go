package testkit

import (
	"testing"
	"time"
)

const ms = time.Millisecond

// TestQueue walks through a line of 1 MB/s, 50 ms and a buffer of 10 000 bytes:
// a segment of 1000 bytes takes 1 ms.
func TestQueue(t *testing.T) {
	for _, tc := range []struct {
		name string
		line Line
		at   []time.Duration
		n    int
		in   []time.Duration // each enters the buffer
		out  []time.Duration // each arrives
	}{
		{
			"an idle line adds its own time and the delay",
			Line{Delay: 50 * ms, Rate: 1e6, Buffer: 10_000},
			[]time.Duration{0, 20 * ms},
			1000,
			[]time.Duration{0, 20 * ms},
			[]time.Duration{51 * ms, 71 * ms},
		}, {
			"bytes wait for those before them",
			Line{Delay: 50 * ms, Rate: 1e6, Buffer: 10_000},
			[]time.Duration{0, 0, 1500 * time.Microsecond},
			1000,
			[]time.Duration{0, 0, 1500 * time.Microsecond},
			[]time.Duration{51 * ms, 52 * ms, 53 * ms},
		}, {
			"a full buffer holds the sender",
			Line{Delay: 50 * ms, Rate: 1e6, Buffer: 2000},
			[]time.Duration{0, 0, 0, 0},
			1000,
			[]time.Duration{0, 0, 1 * ms, 2 * ms},
			[]time.Duration{51 * ms, 52 * ms, 53 * ms, 54 * ms},
		}, {
			"without a rate there is only the delay",
			Line{Delay: 5 * ms},
			[]time.Duration{0, 0, 1 * ms},
			1 << 20,
			[]time.Duration{0, 0, 1 * ms},
			[]time.Duration{5 * ms, 5 * ms, 6 * ms},
		}, {
			"a packet larger than the buffer passes an empty line",
			Line{Rate: 1e6, Buffer: 100},
			[]time.Duration{0, 0},
			1000,
			[]time.Duration{0, 1 * ms},
			[]time.Duration{1 * ms, 2 * ms},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q := newQueue(tc.line)
			for i, at := range tc.at {
				in, out := q.enter(at, tc.n)
				if in != tc.in[i] || out != tc.out[i] {
					t.Errorf("packet %d enters at %v and arrives at %v, want %v and %v", i, in, out, tc.in[i], tc.out[i])
				}
			}
		})
	}
}
