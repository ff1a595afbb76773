//go:build linux && (amd64 || arm64)

package bots

import (
	"syscall"
	"time"
	"unsafe"
)

// rawWrite writes to a non-blocking socket. Unlike syscall.Write it does not tell
// the scheduler, because the call returns at once.
func rawWrite(fd int, b []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// stampedReader reads from non-blocking sockets with the kernel's time of arrival,
// so that a loop that is late, because the machine is busy, does not make the host
// look late.
type stampedReader struct {
	msg  syscall.Msghdr
	iov  syscall.Iovec
	room [64]byte
}

// stamped turns timestamps on for a socket. Where the kernel has none, the age
// that read returns is 0.
func stamped(fd int) {
	_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
}

// read also returns how long ago the last of the bytes arrived.
func (r *stampedReader) read(fd int, b []byte) (n int, age time.Duration, err error) {
	r.iov.Base = unsafe.SliceData(b)
	r.iov.SetLen(len(b))
	r.msg = syscall.Msghdr{Iov: &r.iov, Iovlen: 1, Control: &r.room[0]}
	r.msg.SetControllen(len(r.room))
	got, _, errno := syscall.RawSyscall(syscall.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&r.msg)), 0)
	if errno != 0 {
		return 0, 0, errno
	}
	return int(got), r.age(), nil
}

// age reads the timestamp in the control message of the last read.
func (r *stampedReader) age() time.Duration {
	head := (*syscall.Cmsghdr)(unsafe.Pointer(&r.room[0]))
	if uintptr(r.msg.Controllen) < unsafe.Sizeof(*head)+unsafe.Sizeof(syscall.Timespec{}) ||
		head.Level != syscall.SOL_SOCKET || head.Type != syscall.SO_TIMESTAMPNS {
		return 0
	}
	stamp := (*syscall.Timespec)(unsafe.Pointer(&r.room[syscall.CmsgLen(0)]))
	return max(time.Duration(time.Now().UnixNano()-stamp.Nano()), 0)
}
