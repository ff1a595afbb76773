//go:build !unix

// Package openfiles returns the process's limit for open files, which also limits connections. Package daemon
// and w3host doctor warn if it is too low; package bots refuses to start more clients than it allows.
package openfiles

// Limit returns no limit, since sockets are not files on this system.
func Limit() (n uint64, limited bool) { return 0, false }
