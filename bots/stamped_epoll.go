//go:build linux && (amd64 || arm64)

package bots

import (
	"syscall"
	"time"
	"unsafe"
)

// rawWrite writes to a socket that does not block. It does not tell the
// scheduler, as syscall.Write does: the call is over before that would matter.
func rawWrite(fd int, b []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// stampedReader reads from sockets that do not block, and learns from the
// kernel when the bytes came. A loop that is behind, because the machine is
// busy, so does not make the host look late.
type stampedReader struct {
	msg  syscall.Msghdr
	iov  syscall.Iovec
	room [64]byte
}

// stamped asks the kernel to note arrivals on a socket. A kernel that cannot
// leaves them out, and read falls back to its own time.
func stamped(fd int) {
	_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
}

// read also returns how long ago the last of the bytes came.
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

// age finds the kernel's stamp in the control message of the last read.
func (r *stampedReader) age() time.Duration {
	head := (*syscall.Cmsghdr)(unsafe.Pointer(&r.room[0]))
	if uintptr(r.msg.Controllen) < unsafe.Sizeof(*head)+unsafe.Sizeof(syscall.Timespec{}) ||
		head.Level != syscall.SOL_SOCKET || head.Type != syscall.SO_TIMESTAMPNS {
		return 0
	}
	stamp := (*syscall.Timespec)(unsafe.Pointer(&r.room[syscall.CmsgLen(0)]))
	return max(time.Duration(time.Now().UnixNano()-stamp.Nano()), 0)
}
