package background

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is how much less: as nice -n 10.
const niceness = 10

// Run does something on the thread of the calling goroutine, which both end then: call it last.
func Run(do func()) {
	runtime.LockOSThread() // for good: nothing else may run on a thread that is nicer
	if n, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, min(own(n)+niceness, 19)) // of this thread; without it do is only less polite
	}
	do()
}

// own is a niceness as the system call tells it, from 40 down to 1.
func own(told int) int { return 20 - told }
