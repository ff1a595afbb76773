package host_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"w3host/internal/testkit"
)

// line is what the transfers have to fill: 100 ms there and back, 1 MB/s, and a
// router that would hold a whole second of it.
var line = testkit.Line{Delay: 50 * time.Millisecond, Rate: 1_000_000, Buffer: 1_000_000}

func (r *transferRig) relay(t testing.TB) *testkit.Relay {
	t.Helper()
	l, err := testkit.NewRelay(r.host.Addr().String(), testkit.Line{Delay: line.Delay}, line)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// talk lets a player with the map say a line now and then until stop is closed.
// It is less often than what mutes him.
func (r *transferRig) talk(t testing.TB, name string, stop chan struct{}) *sync.WaitGroup {
	t.Helper()
	f := r.fetcher(t, name).haveAll().drain()
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(1100 * time.Millisecond):
				f.sayTime()
			}
		}
	})
	return &wg
}

func TestTransferOnALine(t *testing.T) {
	t.Parallel()
	all := together{t: t}
	defer all.wait()
	all.run("one player", testFillsALine)
	all.run("two players", func(t *testing.T) { testSharesALine(t, 0) })
	all.run("one joins later", func(t *testing.T) { testSharesALine(t, 1500*time.Millisecond) })
}

// testFillsALine: one player gets at least 90 % of the line, and yet a line of
// chat does not wait behind the map.
func testFillsALine(t *testing.T) {
	r := newTransferRig(t, transferSize(5<<20), nil)
	l := r.relay(t)
	j := newJudge(t)
	f := r.fetcherAt(t, l.Addr(), "far")
	stop := make(chan struct{})
	talkers := []*sync.WaitGroup{r.talk(t, "one", stop), r.talk(t, "two", stop), r.talk(t, "three", stop)}
	f.have(0).fetch(time.Minute)
	close(stop)
	for _, wg := range talkers {
		wg.Wait()
	}
	if f.sum() != r.sum {
		t.Error("the map did not arrive")
	}
	share := f.speed() / float64(line.Rate)
	delays := f.chatDelays()
	if len(delays) < 5 {
		t.Fatalf("only %d lines of chat came", len(delays))
	}
	_, queued := l.Down()
	t.Logf("%.1f %% of the line; %d lines of chat, the slowest took %v; the line's queue held %v at most",
		share*100, len(delays), slices.Max(delays), queued)
	least := 0.9
	if !transfersLong() {
		least = 0.8 // finding out how fast the line is takes half a second
	}
	j.figure(share >= least, "%.1f %% of the line", share*100)
	j.figure(slices.Max(delays) <= 300*time.Millisecond, "lines of chat took %v", delays)
	if queued > 900*time.Millisecond { // on any machine: only what was sent too early can wait there
		t.Errorf("the queue before the line held %v", queued)
	}
	j.figure(queued <= 300*time.Millisecond, "the queue before the line held %v", queued)
}

// testSharesALine: two players behind the same line get the same, also when one
// of them joins later.
func testSharesALine(t *testing.T, later time.Duration) {
	r := newTransferRig(t, transferSize(5<<19), nil)
	l := r.relay(t)
	j := newJudge(t)
	a, b := r.fetcherAt(t, l.Addr(), "first"), r.fetcherAt(t, l.Addr(), "second")
	var wg sync.WaitGroup
	wg.Go(func() { a.have(0).fetch(2 * time.Minute) })
	wg.Go(func() {
		b.idle(later)
		b.have(0).fetch(2 * time.Minute)
	})
	wg.Wait()
	if a.sum() != r.sum || b.sum() != r.sum {
		t.Error("a map did not arrive")
	}
	from, to := b.asked.Add(time.Second), a.done
	if b.done.Before(to) {
		to = b.done
	}
	x, y := a.rate(from, to), b.rate(from, to)
	share := (x + y) / float64(line.Rate)
	_, queued := l.Down()
	t.Logf("%.1f %% and %.1f %%, together %.1f %% of the line over %v; the line's queue held %v at most",
		100*x/(x+y), 100*y/(x+y), 100*share, to.Sub(from).Round(time.Millisecond), queued)
	limit := 1.1
	if !transfersLong() {
		limit = 2 // too short to settle
	}
	j.figure(max(x/y, y/x) <= limit, "one got %.2f times what the other got", max(x/y, y/x))
	j.figure(share >= 0.9, "together %.1f %% of the line", 100*share)
}
