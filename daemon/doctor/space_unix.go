//go:build linux || darwin

package doctor

import "golang.org/x/sys/unix"

// freeSpace is what a user's program may still write to the disk of a folder.
func freeSpace(dir string) (bytes uint64, known bool) {
	var s unix.Statfs_t
	err := unix.Statfs(dir, &s)
	return s.Bavail * uint64(s.Bsize), err == nil
}
