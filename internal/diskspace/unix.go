//go:build linux || darwin

// Package diskspace asks how much of a disk is free.
package diskspace

import "golang.org/x/sys/unix"

// Of returns how many bytes a user's program may still write to the disk of a folder, and
// the size of that disk.
func Of(dir string) (free, all uint64, known bool) {
	var s unix.Statfs_t
	err := unix.Statfs(dir, &s)
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), err == nil
}
