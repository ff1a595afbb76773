//go:build linux && !portable

package loop

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"w3host/mapxfer"
)

// fdSocket is a socket with a file descriptor.
type fdSocket struct {
	p    *systemPoller
	conn *Conn
	fd   int
	set  set // that watches it
	// ending is set when the client has closed the connection. epoll reports that only once, so
	// everything that is left must be read.
	ending   bool
	isCopied bool // another process has a copy
}

func (p *systemPoller) adopt(fd int, begin func(Socket) *Conn) *Conn {
	k := p.socket(fd)
	k.isCopied = true
	k.conn = begin(k)
	k.begin()
	return k.conn
}

func (k *fdSocket) copied() int {
	k.isCopied = true
	return k.fd
}

func (k *fdSocket) Read(b []byte) (n int, more bool, err error) {
	for {
		n, err := raw(unix.SYS_READ, k.fd, b)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return 0, false, nil
		case err != 0:
			return 0, false, err
		case n == 0:
			return 0, false, ErrClientClosed
		}
		return n, n == len(b) || k.ending, nil
	}
}

func (k *fdSocket) Write(b []byte) (int, error) {
	n, err := raw(unix.SYS_WRITE, k.fd, b)
	if err == unix.EAGAIN || err == unix.EINTR {
		return 0, nil
	}
	if err != 0 {
		return 0, err
	}
	return n, nil
}

func (k *fdSocket) CloseWrite() { _ = unix.Shutdown(k.fd, unix.SHUT_WR) }

func (k *fdSocket) Close() {
	k.unwatch()
	if k.isCopied {
		System.Reset(k.fd)
	} else {
		_ = unix.SetsockoptLinger(k.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
		_ = unix.Close(k.fd)
	}
	k.fd = -1 // the number is another file's next
}

func (k *fdSocket) release() {
	k.unwatch()
	_ = unix.Close(k.fd)
	k.fd = -1
}

func (k *fdSocket) move(to *Loop, begin func(Socket) *Conn) {
	_ = control(k.set.fd, unix.EPOLL_CTL_DEL, k.fd, 0)
	k.p.byFD[k.fd] = nil
	fd, copied := k.fd, k.isCopied
	k.fd = -1
	ok := to.Call(func() {
		moved := to.poll.(*systemPoller).socket(fd)
		moved.isCopied = copied
		moved.conn = begin(moved)
		moved.begin()
	})
	if !ok {
		_ = unix.Close(fd)
	}
}

// unwatch removes the socket from epoll. Closing it would not be enough if another process has a
// copy.
func (k *fdSocket) unwatch() {
	k.p.byFD[k.fd] = nil
	if k.isCopied {
		_ = control(k.set.fd, unix.EPOLL_CTL_DEL, k.fd, 0)
	}
}

// Reset implements Network.
func (s system) Reset(fd int) {
	to := unix.RawSockaddr{Family: unix.AF_UNSPEC}
	_, _, _ = unix.RawSyscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&to)), unix.SizeofSockaddrInet4)
	s.Release(fd)
}

// Release implements Network.
func (system) Release(fd int) { _ = unix.Close(fd) }

func (k *fdSocket) watch(s *set) {
	to := k.p.own
	if s != nil {
		if s.fd <= 0 {
			fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
			if err != nil {
				return // the poller's own set does as well
			}
			s.fd = fd
		}
		to = *s
	}
	if to == k.set {
		return
	}
	_ = control(k.set.fd, unix.EPOLL_CTL_DEL, k.fd, 0)
	k.set = to
	if err := control(to.fd, unix.EPOLL_CTL_ADD, k.fd, watched); err != nil {
		k.conn.Cut(err)
	}
}

// Figures excludes bytes that the client has reported as received out of order: they are no longer
// on the line, although bytes before them must be sent again.
func (k *fdSocket) Figures() (f mapxfer.Figures) {
	info, err := unix.GetsockoptTCPInfo(k.fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return f
	}
	unacked, err := unix.IoctlGetInt(k.fd, unix.SIOCOUTQ)
	if err != nil {
		return f
	}
	f.Unacked = max(unacked-int(info.Sacked*info.Snd_mss), 0)
	f.RTT = time.Duration(info.Rtt) * time.Microsecond
	f.MinRTT = time.Duration(min(info.Min_rtt, info.Rtt)) * time.Microsecond
	return f
}

func (k *fdSocket) Waited() time.Duration {
	info, err := unix.GetsockoptTCPInfo(k.fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return 0
	}
	return time.Duration(info.Last_data_recv) * time.Millisecond
}

// raw reads or writes without telling the runtime about the system call. These calls never block,
// and there are tens of thousands a second.
func raw(call uintptr, fd int, b []byte) (int, unix.Errno) {
	n, _, err := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return int(n), err
}
