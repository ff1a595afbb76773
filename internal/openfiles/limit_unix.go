//go:build unix

// Package openfiles returns the process's limit for open files, which also limits connections. Package daemon
// and w3host doctor warn if it is too low; package bots refuses to start more clients than it allows.
package openfiles

import "syscall"

// Limit returns the process's limit for open files, if there is one. At start the Go runtime has raised the
// soft limit to the hard one.
func Limit() (n uint64, limited bool) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0, false
	}
	return uint64(limit.Cur), true
}
