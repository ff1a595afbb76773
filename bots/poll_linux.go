package bots

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// eventBatch is the most connections that one wait reports.
const eventBatch = 256

// epoll is the poller on Linux. A turn costs two system calls, a read and a write. With a goroutine for each connection
// it would cost a third, a read that finds nothing, and a goroutine switch. TestScale compares the two.
type epoll struct {
	l      *loop
	set    int
	event  int // eventfd that interrupts a wait
	events [eventBatch]unix.EpollEvent
	reader stampedReader

	byFD sync.Map // *fdSocket by descriptor (int32)
}

func openPoller(l *loop) (poller, error) {
	set, err1 := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	event, err2 := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	e := &epoll{l: l, set: set, event: event}
	err := errors.Join(err1, err2)
	if err == nil {
		err = unix.EpollCtl(set, unix.EPOLL_CTL_ADD, event, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: int32(event)})
	}
	if err != nil {
		e.close()
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return e, nil
}

func (e *epoll) notify() { _, _ = unix.Write(e.event, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

func (e *epoll) close() {
	_ = unix.Close(e.set)
	_ = unix.Close(e.event)
}

// add duplicates the descriptor and closes the connection, because otherwise the Go runtime's own poller would watch it
// too.
func (e *epoll) add(p *player, c net.Conn) (socket, error) {
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	k := &fdSocket{e: e, p: p}
	cerr := raw.Control(func(fd uintptr) { k.fd, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	c.Close()
	if err = errors.Join(cerr, err); err != nil {
		return nil, fmt.Errorf("take over the connection: %w", err)
	}
	_ = unix.SetsockoptInt(k.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) // without kernel support reads have no time stamp
	e.byFD.Store(int32(k.fd), k)
	return k, nil
}

// wait rounds d up to whole milliseconds; otherwise the loop would spin during the last one.
func (e *epoll) wait(d time.Duration) {
	n, err := unix.EpollWait(e.set, e.events[:], int((d+time.Millisecond-1)/time.Millisecond))
	e.l.until.Store(0)
	if err != nil && err != unix.EINTR {
		e.l.run.problem(fmt.Errorf("epoll: %w", err))
		time.Sleep(d)
	}
	for _, event := range e.events[:max(n, 0)] {
		if k, ok := e.byFD.Load(event.Fd); ok {
			k.(*fdSocket).ready(event.Events)
		}
	}
}

// fdSocket is a connection that epoll watches.
type fdSocket struct {
	e      *epoll
	p      *player
	fd     int
	events uint32 // events that epoll waits for; 0 while the player is paused
}

// ready reads once. Since epoll is level-triggered, it reports the connection again if more bytes are there.
func (k *fdSocket) ready(events uint32) {
	p, l := k.p, k.e.l
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	if p.socket != k {
		return // the player has left this connection in the meantime
	}
	if events&^unix.EPOLLOUT == 0 || p.paused {
		l.update(p)
		return
	}
	n, age, err := k.e.reader.read(k.fd, p.stream.Free())
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		l.update(p)
		return
	case err == nil && n == 0:
		err = io.EOF
	case err == nil && !p.conduct.misbehaves():
		l.run.rec.own.add(age)
	}
	l.received(p, l.run.now()-age, n, err)
}

func (k *fdSocket) write(b []byte) int {
	n, err := rawWrite(k.fd, b)
	switch err {
	case nil:
		return n
	case unix.EAGAIN, unix.EINTR:
		return 0
	}
	return len(b)
}

// watch removes a socket that waits for nothing from epoll, which would otherwise keep reporting the end of its
// connection.
func (k *fdSocket) watch(read, write bool) {
	var want uint32
	if read {
		want |= unix.EPOLLIN
	}
	if write {
		want |= unix.EPOLLOUT
	}
	if want == k.events {
		return
	}
	op := unix.EPOLL_CTL_MOD
	switch {
	case want == 0:
		op = unix.EPOLL_CTL_DEL
	case k.events == 0:
		op = unix.EPOLL_CTL_ADD
	}
	k.events = want
	if err := unix.EpollCtl(k.e.set, op, k.fd, &unix.EpollEvent{Events: want, Fd: int32(k.fd)}); err != nil {
		k.e.l.run.problem(fmt.Errorf("watch the connection of %s: %w", k.p.name, err))
	}
}

func (k *fdSocket) close() {
	k.e.byFD.Delete(int32(k.fd))
	_ = unix.Close(k.fd)
}
