//go:build unix

package host

import (
	"syscall"
	"testing"
)

// raiseFileLimit lets the process have so many more files, or skips.
func raiseFileLimit(t *testing.T, files uint64) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if limit.Cur >= files {
		return
	}
	if uint64(limit.Max) < files {
		t.Skipf("needs %d files, this process may have %d: raise it with ulimit -n", files, limit.Max)
	}
	limit.Cur = files
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Skipf("cannot raise the file limit: %v", err)
	}
}
