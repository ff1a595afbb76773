//go:build unix

package main

import (
	"fmt"
	"syscall"
)

// enoughFiles is more than a thousand games of ten players need.
const enoughFiles = 16384

// raiseFileLimit makes use of all the file descriptors that the system allows:
// every player holds one.
func raiseFileLimit() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("ask for the limit of open files: %w", err)
	}
	if limit.Cur < limit.Max {
		limit.Cur = limit.Max
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			return fmt.Errorf("raise the limit of open files to %d: %w", limit.Max, err)
		}
	}
	if limit.Cur < enoughFiles {
		return fmt.Errorf("the limit of open files is %d, which is about so many players; raise it with ulimit -n or LimitNOFILE", limit.Cur)
	}
	return nil
}
