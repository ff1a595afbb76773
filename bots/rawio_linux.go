package bots

import (
	"syscall"
	"unsafe"
)

// rawIO reads from or writes to a socket that does not block. It does not tell
// the scheduler, as syscall.Read does: the call is over before that would matter.
func rawIO(call uintptr, fd int, b []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
