//go:build unix

// Package openfiles tells how many files, and so connections, this process may have open.
package openfiles

import "syscall"

// Limit is that number, if there is one. The Go runtime has raised the soft limit
// to the hard one when the process started.
func Limit() (n uint64, limited bool) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0, false
	}
	return uint64(limit.Cur), true
}
