//go:build !linux

package host

import "time"

// runtimeTimer sleeps by the runtime's timers.
type runtimeTimer struct {
	timer *time.Timer
	done  chan struct{}
}

func newSleeper() (sleeper, error) {
	return &runtimeTimer{timer: time.NewTimer(time.Hour), done: make(chan struct{})}, nil
}

func (t *runtimeTimer) arm(d time.Duration) { t.timer.Reset(d) }

func (t *runtimeTimer) wait() bool {
	select {
	case <-t.timer.C:
		return true
	case <-t.done:
		return false
	}
}

func (t *runtimeTimer) close() { close(t.done) }
