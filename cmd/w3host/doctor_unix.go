//go:build unix

package main

import "syscall"

// mostFiles is how many files this program may have open: serve raises the soft
// limit to the hard one.
func mostFiles() (n uint64, known bool) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0, false
	}
	return uint64(limit.Max), true
}
