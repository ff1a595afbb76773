package bots

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rawWrite writes to a non-blocking socket. Unlike unix.Write it does not notify the Go scheduler, because the
// call returns at once.
func rawWrite(fd int, b []byte) (int, error) {
	n, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// stampedReader reads from non-blocking sockets and gets the kernel's time of arrival, so that a loop delayed by a busy
// machine does not make the host look late.
type stampedReader struct {
	msg  unix.Msghdr
	iov  unix.Iovec
	room [8]uint64 // space for the control message; uint64 aligns it
}

// read also returns how long ago the last of the bytes arrived, or 0 if the kernel does not tell.
func (r *stampedReader) read(fd int, b []byte) (n int, age time.Duration, err error) {
	r.iov.Base = unsafe.SliceData(b)
	r.iov.SetLen(len(b))
	r.msg = unix.Msghdr{Iov: &r.iov, Control: (*byte)(unsafe.Pointer(&r.room))}
	r.msg.SetIovlen(1)
	r.msg.SetControllen(int(unsafe.Sizeof(r.room)))
	got, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&r.msg)), 0)
	if errno != 0 {
		return 0, 0, errno
	}
	stamp := (*unix.Timespec)(unsafe.Add(unsafe.Pointer(&r.room), unix.CmsgLen(0))) // only this control message was asked for
	if int(r.msg.Controllen) < unix.CmsgLen(int(unsafe.Sizeof(*stamp))) {
		return int(got), 0, nil
	}
	return int(got), max(time.Duration(time.Now().UnixNano()-stamp.Nano()), 0), nil
}
