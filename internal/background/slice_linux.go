package background

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// promptSlice is the time slice of threads that must wake promptly, in nanoseconds. Linux 6.12 and later prefers
// the thread whose slice ends first, so a thread with a short slice waits less beside busy programs. It is as long
// as the turn of a game takes: with less, other programs interrupt turns much more often. The kernel takes 0.1 to
// 100 ms.
const promptSlice = 400_000

// Prompt gives all threads of the process, and those started later, a short time slice. They get no more CPU
// time, but wait less for it. It has no effect if the system refuses, and on other systems than Linux.
func Prompt() {
	for range 2 { // a thread not yet adjusted may start another one during the first round
		tasks, _ := os.ReadDir("/proc/self/task")
		for _, task := range tasks {
			if tid, err := strconv.Atoi(task.Name()); err == nil {
				adjust(tid, 0, promptSlice)
			}
		}
	}
}

// adjust raises the nice value of a thread and sets its time slice; 0 is the thread itself, and a slice of 0 the
// default. It leaves real-time threads alone.
func adjust(tid, niceness, slice int) {
	a, err := unix.SchedGetAttr(tid, 0)
	if err != nil || a.Policy != unix.SCHED_NORMAL && a.Policy != unix.SCHED_BATCH {
		return
	}
	a.Nice, a.Runtime = min(a.Nice+int32(niceness), 19), uint64(slice)
	_ = unix.SchedSetAttr(tid, a, 0) // if it fails, the thread just keeps its priority
}
