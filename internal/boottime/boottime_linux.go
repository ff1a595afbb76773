// Package boottime provides a clock that advances while the computer sleeps and is never adjusted, on systems
// that have one. Package daemon times the leases of a fleet with it.
package boottime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Now returns the time since boot.
func Now() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) // supported by Linux since 2.6.39
	return time.Duration(t.Nano())
}
