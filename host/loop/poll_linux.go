//go:build linux && !portable

package loop

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// readyBatch is the maximum number of events taken from epoll at once.
	readyBatch = 512
	// unsent limits the bytes that the kernel holds before sending them; its own limit is
	// megabytes. Bytes that wait in the host instead can be overtaken by packets and are visible to
	// the game. The value is one second on the slowest line on which a game can be played.
	unsent = 16 << 10
	// watched is edge-triggered, so that the kernel does not check sockets again that have been
	// read.
	watched = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET
)

// systemPoller watches sockets with epoll. Most sockets are in one set, for which the loop waits.
// Nobody waits for the other sets: each is read when its group is due, in the order in which its
// sockets became ready.
type systemPoller struct {
	loop      *Loop
	own       set
	waiting   syscall.RawConn // own, in the hands of the runtime's poller
	file      *os.File        // likewise
	event     int             // eventfd, ends a wait
	timer     int             // timerfd, ends a wait at its deadline
	listeners []int
	pause     time.Duration
	acceptAt  time.Duration // when a pause of accepting ends; never: there is none
	byFD      []*fdSocket
	came      int                         // how many of news are new
	news      [readyBatch]unix.EpollEvent // of its own set
	ready     [readyBatch]unix.EpollEvent // of another set, which may be read meanwhile
}

func (system) newPoller(l *Loop) (poller, error) {
	fd, err1 := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	event, err2 := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	timer, err3 := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	p := &systemPoller{loop: l, own: set{fd: fd}, event: event, timer: timer, acceptAt: never}
	err := cmp.Or(err1, err2, err3, unix.SetNonblock(fd, true))
	p.file = os.NewFile(uintptr(fd), "epoll") // for the runtime's poller, since it does not block
	if err == nil {
		p.waiting, err = p.file.SyscallConn()
	}
	for _, fd := range []int{event, timer} {
		if err == nil {
			err = control(p.own.fd, unix.EPOLL_CTL_ADD, fd, unix.EPOLLIN|unix.EPOLLET)
		}
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return p, nil
}

func control(set, op, fd int, events uint32) error {
	return unix.EpollCtl(set, op, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)})
}

// listen removes the listener from Go's runtime poller and watches it here.
func (p *systemPoller) listen(l net.Listener) error {
	defer l.Close()
	raw, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		return err
	}
	listener, dupErr := -1, error(nil)
	err = raw.Control(func(fd uintptr) { listener, dupErr = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err = errors.Join(err, dupErr); err != nil {
		return err
	}
	p.listeners = append(p.listeners, listener)
	return control(p.own.fd, unix.EPOLL_CTL_ADD, listener, unix.EPOLLIN|unix.EPOLLET)
}

func (p *systemPoller) stopListening() {
	for _, fd := range p.listeners {
		_ = unix.Close(fd)
	}
	p.listeners, p.acceptAt = nil, never
}

// wake ends a wait. It is safe for concurrent use until close.
func (p *systemPoller) wake() {
	_, _ = unix.Write(p.event, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

// run calls pass whenever a socket is ready or the idle time returned by the last pass has elapsed,
// until pass returns over. A negative idle time means to wait for sockets only. It waits in the
// runtime's poller, because the runtime checks goroutines in other system calls every 20 µs, which
// costs more than a game. The deadline is a timerfd, because timers of the runtime have a
// resolution of one millisecond there. All passes run inside one Read, which does not lose events
// that arrive during a pass.
func (p *systemPoller) run(pass func() (idle time.Duration, over bool)) {
	_ = p.waiting.Read(func(uintptr) bool {
		for {
			idle, over := pass()
			if over {
				return true
			}
			if idle == 0 || p.came == len(p.news) {
				continue
			}
			var alarm unix.ItimerSpec // zero: none
			if idle > 0 {
				alarm.Value = unix.NsecToTimespec(int64(idle))
			}
			_ = unix.TimerfdSettime(p.timer, 0, &alarm, nil)
			return false
		}
	})
}

// collect takes the events of the poller's own set from the kernel. deliver processes them.
func (p *systemPoller) collect() { p.came = take(p.own, &p.news) }

// deliver processes the events that collect has taken. It accepts at most accepts connections of
// each listener.
func (p *systemPoller) deliver(accepts int) {
	for _, e := range p.news[:p.came] {
		p.loop.punctual()
		switch fd := int(e.Fd); {
		case fd == p.event, fd == p.timer: // edge-triggered: reading one could take back the news of a later wake
		case slices.Contains(p.listeners, fd):
			if p.pause == 0 {
				p.acceptAt = p.loop.now
			}
		default:
			p.report(e)
		}
	}
	if p.loop.now >= p.acceptAt {
		p.acceptAt = never
		for _, fd := range p.listeners {
			p.accept(fd, accepts)
		}
	}
}

// next returns the time at which the poller needs a call of deliver even without events.
func (p *systemPoller) next() time.Duration { return p.acceptAt }

// read processes the events of the sockets in a set.
func (p *systemPoller) read(s *set) {
	if s.fd <= 0 {
		return
	}
	for {
		n := take(*s, &p.ready)
		for _, e := range p.ready[:n] {
			p.report(e)
		}
		if n < len(p.ready) {
			return
		}
	}
}

// take asks the kernel which sockets have news. It does not wait.
//
//go:noinline
func take(s set, news *[readyBatch]unix.EpollEvent) int {
	n, _, _ := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(s.fd), uintptr(unsafe.Pointer(news)), readyBatch, 0, 0, 0)
	return max(int(n), 0)
}

// report processes the event of one socket.
func (p *systemPoller) report(e unix.EpollEvent) {
	fd := int(e.Fd)
	if fd >= len(p.byFD) || p.byFD[fd] == nil {
		return
	}
	k := p.byFD[fd]
	if e.Events&unix.EPOLLOUT != 0 {
		p.loop.writable(k.conn)
	}
	if e.Events&^unix.EPOLLOUT != 0 {
		k.ending = k.ending || e.Events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0
		p.loop.Receive(k.conn)
	}
}

// accept accepts at most most waiting connections.
func (p *systemPoller) accept(listener, most int) {
	for range most {
		if p.listeners == nil {
			return
		}
		fd, sa, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch {
		case err == nil:
			p.pause = 0
			p.connected(fd, sa)
			p.loop.punctual()
		case errors.Is(err, unix.EAGAIN):
			p.pause = 0 // else the next connection would not be heeded
			return
		case errors.Is(err, unix.EINTR) || errors.Is(err, unix.ECONNABORTED):
		default: // out of file descriptors, most likely: it passes
			p.pause = min(max(2*p.pause, 5*time.Millisecond), time.Second)
			p.acceptAt = p.loop.now + p.pause
			p.loop.handlers.CannotAccept(err, p.pause)
			return
		}
	}
	p.acceptAt = p.loop.now
}

// connected watches a new socket.
func (p *systemPoller) connected(fd int, sa unix.Sockaddr) {
	var addr netip.AddrPort
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		addr = netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		addr = netip.AddrPortFrom(netip.AddrFrom16(sa.Addr), uint16(sa.Port))
	}
	k := p.socket(fd)
	if k.conn = p.loop.arrive(k, addr); k.conn != nil {
		k.begin()
	}
}

func (p *systemPoller) socket(fd int) *fdSocket {
	k := &fdSocket{p: p, fd: fd, set: p.own}
	for fd >= len(p.byFD) {
		p.byFD = append(p.byFD, make([]*fdSocket, 64)...)
	}
	p.byFD[fd] = k
	return k
}

// begin watches the socket of a connection and sets its options.
func (k *fdSocket) begin() {
	fd := k.fd
	// Without TCP_NODELAY, a turn could wait for the acknowledgement of the previous one. If one of
	// the options is not supported, the queue is only longer, or a dead connection is detected
	// later.
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsent)
	// Without SO_OOBINLINE, urgent bytes would be counted by the kernel but missing from the bytes
	// read.
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_OOBINLINE, 1)
	if err := control(k.p.own.fd, unix.EPOLL_CTL_ADD, fd, watched); err != nil {
		k.conn.Cut(err)
	}
}

// forget stops watching a set.
func (p *systemPoller) forget(s *set) {
	if s.fd > 0 {
		_ = unix.Close(s.fd)
		s.fd = 0
	}
}

func (p *systemPoller) close() {
	p.stopListening()
	for _, fd := range []int{p.event, p.timer} {
		if fd > 0 {
			_ = unix.Close(fd)
		}
	}
	_ = p.file.Close()
}
