//go:build !unix

// Package openfiles returns the limit for open files, which also limits connections.
package openfiles

// Limit returns no limit, since sockets are not files on this system.
func Limit() (n uint64, limited bool) { return 0, false }
