//go:build unix

package bots

import (
	"fmt"
	"syscall"
	"time"
)

// cpuTime is the processor time of this process so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// needFiles raises the limit on open files so that n connections fit.
func needFiles(n int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return nil // connections fail if it is too low
	}
	if uint64(limit.Cur) >= uint64(n) {
		return nil
	}
	if limit.Cur < limit.Max {
		limit.Cur = limit.Max
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			return fmt.Errorf("raise the limit on open files to %d: %w", limit.Max, err)
		}
	}
	if uint64(limit.Cur) < uint64(n) {
		return fmt.Errorf("%d connections need %d open files, this system allows %d: raise the hard limit (ulimit -Hn) or play fewer games", n, n, limit.Cur)
	}
	return nil
}

// smallReceiveBuffer makes a connection that is not read fill quickly.
func smallReceiveBuffer(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		// A larger buffer only takes longer to fill.
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
	})
}
