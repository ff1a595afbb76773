//go:build linux || darwin

// Package diskspace reports the free space of a disk. Journals and map uploads stop before it is used
// up; w3host doctor and the metrics report it.
package diskspace

import "golang.org/x/sys/unix"

// Of returns the free bytes for ordinary users and the total size of the disk that contains dir.
func Of(dir string) (free, all uint64, known bool) {
	var s unix.Statfs_t
	err := unix.Statfs(dir, &s)
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), err == nil
}
