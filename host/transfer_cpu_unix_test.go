//go:build unix

package host_test

import (
	"syscall"
	"time"
)

// cpuTime is the processor time of this process so far, without its children.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
