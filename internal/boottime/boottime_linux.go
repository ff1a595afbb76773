// Package boottime is a clock that nobody sets and that counts while the machine sleeps, where
// the system has one.
package boottime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Now is the time since the machine was started.
func Now() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) // the kernel has it since 2.6.39
	return time.Duration(t.Nano())
}
