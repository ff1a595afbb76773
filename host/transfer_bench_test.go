package host_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// poured is what one round of downloads took: from the first request to the last
// byte known to have arrived, and of this process's processor time.
type poured struct {
	bytes     int
	took, cpu time.Duration
}

func (p poured) rate() float64 { return float64(p.bytes) / p.took.Seconds() }

// pours are the ways to send a map; the bots in the other process are the same.
var pours = []struct {
	name string
	pour func(t testing.TB, players, size int) poured
}{
	{"host", pourHost},
	{"bare loop, a frame a write", func(t testing.TB, players, size int) poured { return pourBare(t, players, size, 1) }},
	{"bare loop, 16 KiB a write", func(t testing.TB, players, size int) poured { return pourBare(t, players, size, 16<<10/1460+1) }},
}

// pourHost sends the map as the host does.
func pourHost(t testing.TB, players, size int) poured {
	r := newTransferRig(t, size, nil)
	order := r.order(players)
	order.Dir = t.TempDir()
	before := cpuTime()
	seen := startChild(t, order).report(false)
	used := cpuTime() - before
	var span timeSpan
	for _, d := range r.book.all() {
		span.begin(d.At.Add(-d.Took))
		span.end(d.At)
	}
	if seen.Downloads != players {
		t.Fatalf("%d of %d bots got the map", seen.Downloads, players)
	}
	return poured{players * int(r.m.Size), span.lasted(), used}
}

// pourBare sends it with the bare loop.
func pourBare(t testing.TB, players, size, batch int) poured {
	m, _ := transferMap(t, size)
	s := startBareLoop(t, &transferRig{m: m}, batch)
	before := cpuTime()
	seen := startChild(t, childOrder{
		Addr: s.listener.Addr().String(), GameID: 1, Version: 26, Games: 1, Players: players, Dir: t.TempDir(),
	}).report(false)
	used := cpuTime() - before
	if seen.Downloads != players {
		t.Fatalf("%d of %d bots got the map", seen.Downloads, players)
	}
	return poured{players * int(m.Size), s.span.lasted(), used}
}

// BenchmarkTransfer sends a map of 16 MB over the loopback to bots in a process of
// their own. MB/s is of all players together; ms-cpu/MB is processor time of the
// sending process alone. See docs/benchmarks.md.
func BenchmarkTransfer(b *testing.B) {
	for _, players := range []int{1, 10} {
		for _, p := range pours {
			b.Run(fmt.Sprintf("%d/%s", players, p.name), func(b *testing.B) {
				var sum poured
				for b.Loop() {
					one := p.pour(b, players, 16<<20)
					sum.bytes += one.bytes
					sum.took += one.took
					sum.cpu += one.cpu
				}
				b.ReportMetric(sum.rate()/1e6, "MB/s")
				b.ReportMetric(float64(sum.cpu.Microseconds())/1e3/(float64(sum.bytes)/1e6), "ms-cpu/MB")
				b.ReportMetric(0, "ns/op") // the start of the other process is most of it
			})
		}
	}
}

// TestTransferThroughput: one player gets at least 60 % of what a bare loop
// reaches in the same run, ten players 80 % together. The median of several rounds
// counts for each.
func TestTransferThroughput(t *testing.T) {
	if !transfersLong() {
		t.Skip("measures: set W3HOST_TEST_LONG=1 on a quiet machine")
	}
	for _, tc := range []struct {
		players int
		share   float64
	}{{1, 0.6}, {10, 0.8}} {
		t.Run(fmt.Sprint(tc.players), func(t *testing.T) {
			rates := make([][]float64, len(pours))
			for range 7 {
				for i, p := range pours {
					one := p.pour(t, tc.players, 16<<20)
					rates[i] = append(rates[i], one.rate()/1e6)
				}
			}
			host := median(rates[0])
			for i, p := range pours {
				t.Logf("%-28s %6.0f MB/s (%.0f to %.0f); the host has %.0f %% of it", p.name, median(rates[i]),
					slices.Min(rates[i]), slices.Max(rates[i]), 100*host/median(rates[i]))
				if host < tc.share*median(rates[i]) {
					t.Errorf("the host reaches %.0f %% of the %s, want %.0f %%", 100*host/median(rates[i]), p.name, 100*tc.share)
				}
			}
		})
	}
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}
