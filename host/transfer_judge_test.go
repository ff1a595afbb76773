package host_test

import (
	"testing"
	"time"
)

// judge decides about figures that depend on the machine. It wakes up all the
// time and notes how late that was: on a machine that has no time for it, a rate
// or a delay says nothing about the host, and is logged instead of failing the
// test. In the long run it always fails.
type judge struct {
	t     testing.TB
	start time.Time
	stop  chan struct{}
	lost  chan time.Duration // the answer after stop
	busy  float64            // share of the time in which nothing of ours ran
}

const (
	judgeTick = 5 * time.Millisecond
	// judgeLate is what a wake-up may be late without counting.
	judgeLate = 5 * time.Millisecond
	// judgeBusy is the share of time lost that excuses a figure.
	judgeBusy = 0.02
)

func newJudge(t testing.TB) *judge {
	j := &judge{t: t, start: time.Now(), stop: make(chan struct{}), lost: make(chan time.Duration, 1)}
	go watch(j.stop, j.lost) // ends with the verdict, or with the test
	t.Cleanup(j.hear)
	return j
}

func watch(stop chan struct{}, verdict chan time.Duration) {
	var lost time.Duration
	for last := time.Now(); ; {
		select {
		case <-stop:
			verdict <- lost
			return
		case <-time.After(judgeTick):
		}
		now := time.Now()
		if late := now.Sub(last) - judgeTick; late > judgeLate {
			lost += late
		}
		last = now
	}
}

// hear ends the watch.
func (j *judge) hear() {
	if j.stop == nil {
		return
	}
	close(j.stop)
	j.stop = nil
	j.busy = float64(<-j.lost) / float64(time.Since(j.start))
}

// figure fails the test if a figure is not good and the machine is no excuse.
func (j *judge) figure(good bool, format string, args ...any) {
	j.t.Helper()
	j.hear()
	switch {
	case good:
	case j.busy > judgeBusy && !transfersLong():
		j.t.Logf("not judged, the machine was away for %.0f %% of the time: "+format, append([]any{100 * j.busy}, args...)...)
	default:
		j.t.Errorf(format, args...)
	}
}
