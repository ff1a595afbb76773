package sqldb

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fileChanges uses the kernel (inotify) to detect whether any process has written, moved or deleted a
// database file. It has no goroutine: call seen to ask.
type fileChanges struct {
	fd      int
	watched bool // both files are watched
}

func watchFile() *fileChanges {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil // limit of inotify instances reached: the caller checks at each heartbeat
	}
	return &fileChanges{fd: fd}
}

// arm watches the database at path and its write-ahead log, which may be new files. Call it before each check
// of the database, so that no change is missed.
func (f *fileChanges) arm(path string) {
	if f == nil {
		return
	}
	const events = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_MOVE_SELF | unix.IN_DELETE_SELF
	_, err1 := unix.InotifyAddWatch(f.fd, path, events)
	_, err2 := unix.InotifyAddWatch(f.fd, path+"-wal", events)
	f.watched = err1 == nil && err2 == nil
	f.seen() // discard events older than the check that follows
}

// seen reports whether the files may have changed since arm. It does not block.
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
