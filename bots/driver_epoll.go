//go:build linux && (amd64 || arm64)

package bots

import (
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// polled is what an epoll loop keeps with a player; the lock of the player's
// game guards it.
type polled struct {
	loop   *epollLoop
	fd     int
	open   bool
	events uint32 // what epoll watches; 0 while the player is paused
}

// epollLoops is the driver for Linux: one or a few threads, each of which waits
// for many connections. A turn costs two system calls, a read and a write; with a
// goroutine for each connection it costs a third one, a read that finds nothing,
// and a switch between goroutines. TestScale compares the two drivers.
type epollLoops struct {
	loops []*epollLoop
	next  atomic.Uint32
	done  sync.WaitGroup
}

type epollLoop struct {
	run    *run
	timers timers
	epoll  int
	wake   [2]int       // pipe: written when an alarm is set before until, and by stop
	until  atomic.Int64 // when the epoll_wait at hand ends; 0 outside of it
	quit   atomic.Bool

	mu   sync.Mutex
	byFD []*player

	reader stampedReader
}

// eventBatch is how many connections one wait may report.
const eventBatch = 256

func newDriver(r *run) (driver, error) {
	if r.opts.Portable {
		return newStreams(r), nil
	}
	d := &epollLoops{}
	for range r.opts.Loops {
		l, err := newEpollLoop(r)
		if err != nil {
			d.stop()
			return nil, err
		}
		d.loops = append(d.loops, l)
		d.done.Go(l.poll)
	}
	return d, nil
}

func newEpollLoop(r *run) (*epollLoop, error) {
	l := &epollLoop{run: r}
	var err error
	if l.epoll, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	if err = syscall.Pipe2(l.wake[:], syscall.O_NONBLOCK|syscall.O_CLOEXEC); err != nil {
		syscall.Close(l.epoll)
		return nil, fmt.Errorf("epoll: %w", err)
	}
	event := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(l.wake[0])}
	if err = syscall.EpollCtl(l.epoll, syscall.EPOLL_CTL_ADD, l.wake[0], &event); err != nil {
		l.close()
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return l, nil
}

// add duplicates the descriptor and closes the connection, because the poller of
// the Go runtime would watch it as well.
func (d *epollLoops) add(p *player, c net.Conn) error {
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	fd := -1
	cerr := raw.Control(func(old uintptr) {
		fd, err = dup(old)
	})
	c.Close()
	if err = errors.Join(cerr, err); err != nil {
		return fmt.Errorf("take over the connection: %w", err)
	}
	stamped(fd)
	l := d.loops[int(d.next.Add(1))%len(d.loops)]
	l.mu.Lock()
	for len(l.byFD) <= fd {
		l.byFD = append(l.byFD, make([]*player, 1024)...)
	}
	l.byFD[fd] = p
	l.mu.Unlock()
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	p.link.polled = polled{loop: l, fd: fd, open: true}
	l.update(p)
	return nil
}

func dup(fd uintptr) (int, error) {
	n, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_DUPFD_CLOEXEC, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

func (d *epollLoops) update(p *player) {
	if l := p.link.polled.loop; l != nil {
		l.update(p)
	}
}

func (d *epollLoops) stop() {
	for _, l := range d.loops {
		l.quit.Store(true)
		l.notify()
	}
	d.done.Wait()
}

// poll runs the loop until stop.
func (l *epollLoop) poll() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer l.close()
	events := make([]syscall.EpollEvent, eventBatch)
	for !l.quit.Load() {
		n, err := syscall.EpollWait(l.epoll, events, l.waitMillis())
		if err != nil && err != syscall.EINTR {
			l.run.problem(fmt.Errorf("epoll: %w", err))
			return
		}
		l.until.Store(0)
		for i := range max(n, 0) {
			l.event(int(events[i].Fd), events[i].Events)
		}
		l.timers.ring(l.run, l.update)
	}
}

// waitMillis is the timeout of epoll_wait: the time to the next alarm, at most a
// second. It rounds up, so that the loop does not spin in the last millisecond.
func (l *epollLoop) waitMillis() int {
	next := l.timers.next()
	if next == 0 {
		next = l.run.now() + time.Second
	}
	l.until.Store(int64(next))
	// An alarm that is set from here on sees until, and notifies the loop.
	wait := next - l.run.now()
	return int(min(max((wait+time.Millisecond-1)/time.Millisecond, 0), 1000))
}

func (l *epollLoop) event(fd int, what uint32) {
	if fd == l.wake[0] {
		var b [64]byte
		_, _ = syscall.Read(fd, b[:])
		return
	}
	l.mu.Lock()
	p := l.byFD[fd]
	l.mu.Unlock()
	if p == nil {
		return
	}
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	if !p.link.polled.open {
		return // gone meanwhile; the descriptor may be reused
	}
	if what&^uint32(syscall.EPOLLOUT) != 0 && !p.paused {
		l.read(p)
	}
	l.update(p)
}

// read reads once; epoll is level-triggered and reports what is left.
func (l *epollLoop) read(p *player) {
	n, age, err := l.reader.read(p.link.polled.fd, p.stream.Free())
	now := l.run.now() - age
	switch {
	case err == syscall.EAGAIN || err == syscall.EINTR:
	case err != nil:
		p.closed(fmt.Errorf("read: %w", err))
	case n == 0:
		p.closed(io.EOF)
	default:
		if !p.conduct.misbehaves() {
			l.run.rec.own.add(age)
		}
		p.stream.Commit(n)
		p.receive(now)
	}
}

// update writes what the player has to send, sets its alarm and what epoll watches.
// The caller holds the lock of the game; it may be any goroutine.
func (l *epollLoop) update(p *player) {
	link := &p.link.polled
	if !link.open {
		return
	}
	if len(p.out) > 0 {
		n, err := rawWrite(link.fd, p.out)
		if err != nil && err != syscall.EAGAIN && err != syscall.EINTR {
			// The host has closed. What it sent before may still be unread, and the
			// reader finds the end.
			n = len(p.out)
		}
		p.out = p.out[:copy(p.out, p.out[max(n, 0):])]
		if len(p.out) == 0 && cap(p.out) > maxOut {
			p.out = nil
		}
	}
	if l.timers.set(p, p.due()) {
		if until := l.until.Load(); until != 0 && p.link.due < time.Duration(until) {
			l.notify()
		}
	}
	if p.phase == gone {
		l.mu.Lock()
		l.byFD[link.fd] = nil
		l.mu.Unlock()
		link.open = false
		syscall.Close(link.fd)
		return
	}
	l.watch(p)
}

// watch tells epoll what the player waits for. A paused player is removed, because
// epoll reports the end of a connection even if no event is asked for.
func (l *epollLoop) watch(p *player) {
	link := &p.link.polled
	var want uint32
	if !p.paused {
		want |= syscall.EPOLLIN
	}
	if len(p.out) > 0 {
		want |= syscall.EPOLLOUT
	}
	if want == link.events {
		return
	}
	op := syscall.EPOLL_CTL_MOD
	switch {
	case want == 0:
		op = syscall.EPOLL_CTL_DEL
	case link.events == 0:
		op = syscall.EPOLL_CTL_ADD
	}
	link.events = want
	event := syscall.EpollEvent{Events: want, Fd: int32(link.fd)}
	if err := syscall.EpollCtl(l.epoll, op, link.fd, &event); err != nil {
		l.run.problem(fmt.Errorf("watch the connection of %s: %w", p.name, err))
	}
}

func (l *epollLoop) notify() { _, _ = syscall.Write(l.wake[1], []byte{0}) }

func (l *epollLoop) close() {
	syscall.Close(l.epoll)
	syscall.Close(l.wake[0])
	syscall.Close(l.wake[1])
}
