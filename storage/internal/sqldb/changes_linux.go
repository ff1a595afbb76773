package sqldb

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fileChanges learns from the kernel (inotify) whether a database file has been written, moved or
// removed by any process. No goroutine waits for it: seen asks.
type fileChanges struct {
	fd      int
	watched bool // both files are watched
}

func watchFile() *fileChanges {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil // this user has too many: the caller looks at each beat
	}
	return &fileChanges{fd: fd}
}

// arm watches the database at path and its write-ahead log, which may be new files. It is called
// before each look at the database, so that no change goes unnoticed.
func (f *fileChanges) arm(path string) {
	if f == nil {
		return
	}
	const events = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_MOVE_SELF | unix.IN_DELETE_SELF
	_, err1 := unix.InotifyAddWatch(f.fd, path, events)
	_, err2 := unix.InotifyAddWatch(f.fd, path+"-wal", events)
	f.watched = err1 == nil && err2 == nil
	f.seen() // what is waiting is older than the look that follows
}

// seen reports whether the files may have changed since arm. It never blocks.
func (f *fileChanges) seen() bool {
	if f == nil || !f.watched {
		return true
	}
	var events [4 << 10]byte
	changed := false
	for { // a raw system call does not wake the monitor of Go's runtime
		n, _, _ := unix.RawSyscall(syscall.SYS_READ, uintptr(f.fd), uintptr(unsafe.Pointer(&events)), uintptr(len(events)))
		if int(n) <= 0 {
			return changed
		}
		changed = true
	}
}

func (f *fileChanges) close() {
	if f != nil {
		_ = unix.Close(f.fd)
	}
}
