package background

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is added to the nice value of background threads, like nice -n 10.
const niceness = 10

// Run calls do at low priority on the thread of the calling goroutine. Call it last: the thread ends with the
// goroutine.
func Run(do func()) {
	runtime.LockOSThread() // never unlocked, because nothing else may run on a thread with lowered priority
	if n, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, min(own(n)+niceness, 19)) // applies to this thread only; if it fails, do just runs at normal priority
	}
	do()
}

// own converts the value of the system call, 40 to 1, to a nice value.
func own(told int) int { return 20 - told }
