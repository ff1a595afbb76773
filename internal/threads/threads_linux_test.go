package threads

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestCount: each sleep of a thread is counted, and what threads did that have ended stays.
func TestCount(t *testing.T) {
	c := Counter{PID: os.Getpid()}
	before, ok := c.Count()
	if !ok {
		t.Skip("/proc has no figures of threads here")
	}
	const sleeps = 50
	slept, counted := make(chan bool), make(chan bool)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		for range sleeps {
			_ = unix.Nanosleep(&unix.Timespec{Nsec: 1000}, nil)
		}
		slept <- true
		<-counted
	}()
	<-slept
	between, _ := c.Count()
	if n := between.Sleeps - before.Sleeps; n < sleeps {
		t.Errorf("%d sleeps are counted, want at least %d", n, sleeps)
	}
	if n := between.Slices - before.Slices; n < sleeps {
		t.Errorf("%d slices are counted, want at least %d", n, sleeps)
	}
	counted <- true
	if after, _ := c.Count(); after.Sleeps < between.Sleeps || after.Slices < between.Slices {
		t.Errorf("%+v after the end of a thread, %+v before", after, between)
	}
}
