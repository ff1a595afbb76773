//go:build linux && !portable

package host

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
	// readyBatch is how many sockets are taken from the kernel at once.
	readyBatch = 512
	// unsent is what the kernel may hold of a link before it goes on the line. Its
	// own bound is megabytes; what waits here instead can be overtaken by packets,
	// and is seen by the game. It is a second at the slowest line that a game can
	// be played on.
	unsent = 16 << 10
	// watched is edge-triggered, so that the kernel need not look at a socket again
	// that has been read.
	watched = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET
)

// poller watches a shard's sockets with epoll. Lobbies and new connections are
// in one set, in which the shard waits. Each running game has a set of its own,
// which nobody waits in: it is read when the game's turn is due, in the order
// in which its sockets became ready.
type poller struct {
	s         *shard
	set       int
	waiting   syscall.RawConn // set, in the hands of the runtime's poller
	file      *os.File        // likewise
	event     int             // eventfd, ends a wait
	timer     int             // timerfd, ends a wait at its deadline
	listeners []int
	pause     time.Duration
	again     time.Duration // when connections are accepted again; never: no pause
	byFD      []*fdSocket
	news      [readyBatch]unix.EpollEvent // of the shard's own set
	ready     [readyBatch]unix.EpollEvent // of the set of a game, which may be read meanwhile
}

func newPoller(s *shard) (*poller, error) {
	set, err1 := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	event, err2 := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	timer, err3 := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	p := &poller{s: s, set: set, event: event, timer: timer, again: never}
	err := cmp.Or(err1, err2, err3, unix.SetNonblock(set, true))
	p.file = os.NewFile(uintptr(set), "epoll") // for the runtime's poller, since it does not block
	if err == nil {
		p.waiting, err = p.file.SyscallConn()
	}
	for _, fd := range []int{event, timer} {
		if err == nil {
			err = control(set, unix.EPOLL_CTL_ADD, fd, unix.EPOLLIN|unix.EPOLLET)
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

// listen takes the listener out of the hands of Go's runtime.
func (p *poller) listen(l *net.TCPListener) error {
	defer l.Close()
	raw, err := l.SyscallConn()
	if err != nil {
		return err
	}
	listener, dupErr := -1, error(nil)
	err = raw.Control(func(fd uintptr) { listener, dupErr = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err = errors.Join(err, dupErr); err != nil {
		return err
	}
	p.listeners = append(p.listeners, listener)
	return control(p.set, unix.EPOLL_CTL_ADD, listener, unix.EPOLLIN|unix.EPOLLET)
}

func (p *poller) stopListening() {
	for _, fd := range p.listeners {
		_ = unix.Close(fd)
	}
	p.listeners, p.again = nil, never
}

// wake ends a wait. It may be called on any goroutine until close.
func (p *poller) wake() {
	_, _ = unix.Write(p.event, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

// run calls cycle whenever something has come, or the time has passed for which
// cycle had nothing to do; negative: until something comes. Before each it runs the
// shard's calls and passes on what has come. It ends when cycle is over.
//
// It waits in the runtime's poller: a goroutine in a system call of its own is
// looked after by the runtime every 20 µs, which costs more than a game does. The
// deadline is a timer of the kernel, since the runtime's go by whole milliseconds.
// All cycles are within one Read, which keeps what becomes ready during a cycle.
func (p *poller) run(cycle func() (time.Duration, bool)) {
	_ = p.waiting.Read(func(uintptr) bool {
		for {
			n := take(p.set, &p.news)
			p.s.look()
			p.s.runCalls()
			p.passNews(p.news[:n])
			d, over := cycle()
			if over {
				return true
			}
			if d == 0 || n == len(p.news) {
				continue
			}
			var alarm unix.ItimerSpec // zero: none
			if d > 0 {
				alarm.Value = unix.NsecToTimespec(int64(d))
			}
			_ = unix.TimerfdSettime(p.timer, 0, &alarm, nil)
			return false
		}
	})
}

// passNews handles what the shard's own set has.
func (p *poller) passNews(news []unix.EpollEvent) {
	for _, e := range news {
		p.s.punctual()
		switch fd := int(e.Fd); {
		case fd == p.event, fd == p.timer: // edge-triggered: reading one could take back the news of a later wake
		case slices.Contains(p.listeners, fd):
			if p.pause == 0 {
				p.again = p.s.now
			}
		default:
			p.pass(e)
		}
	}
	if p.s.now >= p.again {
		p.again = never
		for _, fd := range p.listeners {
			p.accept(fd)
		}
	}
}

// read passes on what the links of a running game have been sent.
func (p *poller) read(g *Game) {
	g.readAt = p.s.now
	if g.set <= 0 {
		return
	}
	for {
		n := take(g.set, &p.ready)
		for _, e := range p.ready[:n] {
			p.pass(e)
		}
		if n < len(p.ready) {
			return
		}
	}
}

// take asks the kernel which sockets have news, without waiting.
func take(set int, news *[readyBatch]unix.EpollEvent) int {
	n, _, _ := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(set), uintptr(unsafe.Pointer(news)), readyBatch, 0, 0, 0)
	return max(int(n), 0)
}

// pass tells one link what its socket has.
func (p *poller) pass(e unix.EpollEvent) {
	fd := int(e.Fd)
	if fd >= len(p.byFD) || p.byFD[fd] == nil {
		return
	}
	k := p.byFD[fd]
	if e.Events&unix.EPOLLOUT != 0 {
		k.link.room()
	}
	if e.Events&^unix.EPOLLOUT != 0 {
		k.ending = k.ending || e.Events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0
		p.s.pass(k.link)
	}
}

// accept takes connections that wait, as many as a pass may.
func (p *poller) accept(listener int) {
	for range passAccepts {
		if p.listeners == nil {
			return
		}
		fd, sa, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch {
		case err == nil:
			p.pause = 0
			p.adopt(fd, sa)
			p.s.punctual()
		case errors.Is(err, unix.EAGAIN):
			return
		case errors.Is(err, unix.EINTR) || errors.Is(err, unix.ECONNABORTED):
		default: // out of file descriptors, most likely: it passes
			p.pause = min(max(2*p.pause, 5*time.Millisecond), time.Second)
			p.again = p.s.now + p.pause
			p.s.host.log.Warn().Err(err).Dur("again_in", p.pause).Msg("cannot accept a connection")
			return
		}
	}
	p.again = p.s.now
}

// adopt makes a link of an accepted socket.
func (p *poller) adopt(fd int, sa unix.Sockaddr) {
	var addr netip.AddrPort
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		addr = netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		addr = netip.AddrPortFrom(netip.AddrFrom16(sa.Addr), uint16(sa.Port))
	}
	k := &fdSocket{p: p, fd: fd, set: p.set}
	for fd >= len(p.byFD) {
		p.byFD = append(p.byFD, make([]*fdSocket, 64)...)
	}
	p.byFD[fd] = k
	k.link = p.s.arrive(k, addr)
	if k.link.state == closed {
		return
	}
	// A turn must not wait for the acknowledgement of the one before. Where one of
	// these is unknown, the queue is only deeper or a dead line is found later.
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsent)
	if err := control(p.set, unix.EPOLL_CTL_ADD, fd, watched); err != nil {
		k.link.cut(err)
	}
}

// forget ends the watch over a running game.
func (p *poller) forget(g *Game) {
	if g.set > 0 {
		_ = unix.Close(g.set)
		g.set = 0
	}
}

func (p *poller) close() {
	p.stopListening()
	for _, fd := range []int{p.event, p.timer} {
		if fd > 0 {
			_ = unix.Close(fd)
		}
	}
	_ = p.file.Close()
}
