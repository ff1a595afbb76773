package host

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"w3host/w3gs"
)

const (
	// gather is how long the reactor lets packets come together before it looks.
	// Nothing in a running game needs an answer before its next turn, and before
	// that the game looks itself, so ten acknowledgements cost one wake-up and
	// not ten. The kernel keeps the order of arrival meanwhile.
	gather = 10 * time.Millisecond
	// fresh is how old the last look may be for a turn: games that share a moment
	// share the look.
	fresh = time.Millisecond
	// turnBatch bounds what a game reads for all games when its turn is due.
	turnBatch = 64
	// readyBatch is how many sockets the reactor takes from the kernel at once.
	readyBatch = 512
	// readSize is what one read takes; what is left makes the socket ready again.
	readSize = 16 << 10
	// unsent is what the kernel may hold of a running game before it goes on the
	// line. Its own bound is megabytes; what waits here instead is seen by the game,
	// and can be judged. It is a second at the slowest line that a game can be
	// played on.
	unsent = 16 << 10
)

// reactor reads the sockets of all running games. With a goroutine for each,
// most of what a turn costs is waking them up, and a second read that finds
// nothing; here one goroutine asks the kernel which of thousands of sockets have
// something to say.
//
// Just before a turn its game asks the reactor to look once more, so that no
// action that has arrived misses the turn.
type reactor struct {
	host  *Host
	epoll int
	file  *os.File // epoll, in the hands of the runtime's own poller

	polling sync.Mutex // held while sockets are read; guards ready and buf
	ready   [readyBatch]unix.EpollEvent
	buf     []byte
	looked  time.Time

	mu   sync.Mutex
	byFD []*conn
}

// rawSocket is a connection's socket in the hands of the reactor. The lock of
// the connection guards fd and watched, the reactor's polling lock the rest.
type rawSocket struct {
	fd      int
	reactor *reactor
	watched uint32 // epoll events
	packets *packetReader
	rest    []byte // the beginning of a packet that is not yet whole
}

func newReactor(h *Host) (*reactor, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(epoll, true); err != nil {
		return nil, errors.Join(err, unix.Close(epoll))
	}
	r := &reactor{host: h, epoll: epoll, file: os.NewFile(uintptr(epoll), "epoll"), buf: make([]byte, readSize)}
	ready, err := r.file.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, r.file.Close())
	}
	go r.run(ready) // ends with close
	return r, nil
}

// run waits for the first packet after a silence, lets others gather, and reads
// them all. It waits in the runtime's poller, which holds no thread.
func (r *reactor) run(ready syscall.RawConn) {
	var first [1]unix.EpollEvent
	for {
		err := ready.Read(func(uintptr) bool {
			n, err := unix.EpollWait(r.epoll, first[:], 0)
			return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
		})
		if err != nil {
			return // closed
		}
		time.Sleep(gather)
		r.poll(readyBatch, 0)
	}
}

// close ends the reactor. Its connections are closed by then.
func (r *reactor) close() {
	r.polling.Lock() // nobody looks any more: the lock is kept
	_ = r.file.Close()
}

// beforeTurn reads what has arrived for a turn that is due.
func (r *reactor) beforeTurn() { r.poll(turnBatch, fresh) }

// poll reads what has arrived at up to most sockets, unless somebody is looking
// at this moment or has done so within the last age.
func (r *reactor) poll(most int, age time.Duration) {
	if !r.polling.TryLock() {
		return
	}
	defer r.polling.Unlock()
	now := time.Now()
	if now.Sub(r.looked) < age {
		return
	}
	r.looked = now
	n, err := unix.EpollWait(r.epoll, r.ready[:most], 0)
	if err != nil {
		return
	}
	for _, e := range r.ready[:n] {
		c := r.find(int(e.Fd))
		if c == nil {
			continue
		}
		if err := r.serve(c, e.Events); err != nil {
			c.cut(err)
		}
	}
}

// serve does what one socket is ready for.
func (r *reactor) serve(c *conn, events uint32) (err error) {
	defer c.caught(&err)
	if events&unix.EPOLLOUT != 0 {
		c.flush()
	}
	if events&^unix.EPOLLOUT != 0 {
		r.read(c)
	}
	return nil
}

// read takes what one socket has and passes it to its game.
func (r *reactor) read(c *conn) {
	c.mu.Lock()
	if c.done {
		c.mu.Unlock()
		return
	}
	n, err := unix.Read(c.sock.fd, r.buf)
	closing := c.closing
	c.mu.Unlock()
	switch {
	case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR):
	case err != nil:
		c.cut(err)
	case n <= 0:
		c.cut(errClientClosed)
	case closing: // he may still speak, but nobody listens
	default:
		if err := r.split(c.sock, r.buf[:n]); err != nil {
			c.cut(err)
		}
	}
}

// split cuts packets off what was read; an unfinished one is kept.
func (r *reactor) split(s *rawSocket, data []byte) error {
	if len(s.rest) > 0 {
		s.rest = append(s.rest, data...)
		data = s.rest
	}
	for {
		frame, rest, err := w3gs.Next(data, w3gs.MaxFrame)
		if err != nil {
			return err
		}
		data = rest
		if frame == nil {
			break
		}
		if err := s.packets.take(frame, false); err != nil {
			return err
		}
	}
	if len(data) == 0 {
		s.rest = nil
		return nil
	}
	s.rest = append(make([]byte, 0, len(data)), data...)
	return nil
}

// adopt takes over a connection from its reader goroutine, with the bytes that
// wait for the rest of their packet. It reports false when the connection is
// not in a state to be moved; then its goroutine goes on.
func (r *reactor) adopt(c *conn, packets *packetReader, rest []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done || c.closing || c.draining {
		return false
	}
	fd := -1
	err := c.raw.Control(func(old uintptr) {
		fd, _ = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0)
	})
	if err != nil || fd < 0 {
		return false
	}
	s := &rawSocket{fd: fd, reactor: r, packets: packets, watched: unix.EPOLLIN | unix.EPOLLRDHUP}
	if len(rest) > 0 {
		s.rest = append(s.rest, rest...)
	}
	// Without this bound, which every Linux of today knows, the queue is only deeper.
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsent)
	r.put(fd, c)
	c.sock = s
	// The runtime's own poller lets go of the socket when the old descriptor is
	// closed; the connection lives on in the new one.
	_ = c.nc.Close()
	if err := r.control(unix.EPOLL_CTL_ADD, fd, s.watched); err != nil {
		c.abort(err)
	}
	return true
}

// write hands p to the kernel without waiting.
func (s *rawSocket) write(p []byte) (int, error) {
	n, err := unix.Write(s.fd, p)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return 0, nil
	}
	return max(n, 0), err
}

// wantRoom asks to be told when the socket takes bytes again, or no longer.
func (s *rawSocket) wantRoom(yes bool) {
	events := uint32(unix.EPOLLIN | unix.EPOLLRDHUP)
	if yes {
		events |= unix.EPOLLOUT
	}
	if events != s.watched {
		s.watched = events
		_ = s.reactor.control(unix.EPOLL_CTL_MOD, s.fd, events)
	}
}

// closeWrite ends the sending side.
func (s *rawSocket) closeWrite() { _ = unix.Shutdown(s.fd, unix.SHUT_WR) }

// close ends the socket with a reset, like SetLinger(0) and Close.
func (s *rawSocket) close() {
	s.reactor.put(s.fd, nil)
	_ = unix.SetsockoptLinger(s.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	_ = unix.Close(s.fd)
}

func (r *reactor) control(op, fd int, events uint32) error {
	return unix.EpollCtl(r.epoll, op, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)})
}

func (r *reactor) find(fd int) *conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	if fd >= len(r.byFD) {
		return nil
	}
	return r.byFD[fd]
}

func (r *reactor) put(fd int, c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if fd >= len(r.byFD) {
		r.byFD = append(r.byFD, make([]*conn, fd+1-len(r.byFD)+64)...)
	}
	r.byFD[fd] = c
}
