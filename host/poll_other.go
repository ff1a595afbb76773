//go:build !linux || portable

package host

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"w3host/mapxfer"
)

// pipeMost is what may wait in a connection's writing goroutine.
const pipeMost = 64 << 10

// poller is that of systems without epoll: two goroutines for each
// connection, which the shard never waits for.
type poller struct {
	s         *shard
	news      chan struct{} // holds one token when there are calls
	timer     *time.Timer
	listeners []*net.TCPListener
	again     time.Duration // never
}

func newPoller(s *shard) (*poller, error) {
	return &poller{s: s, news: make(chan struct{}, 1), timer: time.NewTimer(0), again: never}, nil
}

func (p *poller) listen(l *net.TCPListener) error {
	p.listeners = append(p.listeners, l)
	go p.accept(l) // ends when the listener is closed
	return nil
}

func (p *poller) accept(l *net.TCPListener) {
	pause := 5 * time.Millisecond
	for {
		nc, err := l.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of file descriptors, most likely: it passes
			p.s.host.log.Warn().Err(err).Dur("again_in", pause).Msg("cannot accept a connection")
			time.Sleep(pause)
			pause = min(2*pause, time.Second)
			continue
		}
		pause = 5 * time.Millisecond
		p.s.wait(func() { // at most one at a time is on its way to the shard
			k := &pipe{nc: nc, shard: p.s, taken: make(chan struct{}, 1), more: make(chan struct{}, 1), end: make(chan struct{})}
			k.link = p.s.arrive(k, nc.RemoteAddr().(*net.TCPAddr).AddrPort())
			go k.readAll()  // ends with the connection
			go k.writeAll() // likewise
		})
	}
}

func (p *poller) stopListening() {
	for _, l := range p.listeners {
		_ = l.Close()
	}
}

func (p *poller) run(cycle func() (time.Duration, bool)) {
	for {
		p.s.look()
		p.s.runCalls()
		d, over := cycle()
		if over {
			return
		}
		if d < 0 {
			<-p.news
			continue
		}
		p.timer.Reset(d)
		select {
		case <-p.news:
		case <-p.timer.C:
		}
	}
}

func (p *poller) wake() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

func (p *poller) read(g *Game) { g.readAt = p.s.now }
func (p *poller) forget(*Game) {}
func (p *poller) close()       { p.stopListening() }

// pipe is a link's socket.
type pipe struct {
	nc    *net.TCPConn
	shard *shard
	link  *link
	in    []byte        // has come, and is the shard's until it is taken
	inErr error         // has come behind in
	taken chan struct{} // holds one token when in is empty again
	more  chan struct{} // holds one token when there is something to write
	end   chan struct{} // closed with the connection

	mu    sync.Mutex
	queue []byte
	last  bool // the sending side ends behind queue
	full  bool // the link waits for room
}

// readAll passes on what comes; a shard that has not taken it yet makes TCP slow
// the client down.
func (k *pipe) readAll() {
	buf := make([]byte, passRead)
	for {
		n, err := k.nc.Read(buf)
		k.shard.call(func() {
			k.in, k.inErr = buf[:n], cause(err)
			k.shard.pass(k.link)
		})
		if err != nil {
			return
		}
		select {
		case <-k.taken:
		case <-k.end:
			return
		case <-k.shard.done:
			return
		}
	}
}

func (k *pipe) read(b []byte) (n int, more bool, err error) {
	n = copy(b, k.in)
	switch k.in = k.in[n:]; {
	case len(k.in) > 0 || n > 0 && k.inErr != nil:
		return n, true, nil
	case k.inErr != nil:
		return 0, false, k.inErr
	case n > 0:
		k.taken <- struct{}{}
	}
	return n, false, nil
}

// cause is the error without the addresses that package net puts before it.
func cause(err error) error {
	if errors.Is(err, io.EOF) {
		return errClientClosed
	}
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		return op.Err
	}
	return err
}

func (k *pipe) writeAll() {
	for {
		k.mu.Lock()
		b, last, full := k.queue, k.last, k.full
		k.queue, k.full = nil, false
		k.mu.Unlock()
		if full {
			k.shard.call(k.link.room)
		}
		if len(b) > 0 {
			if _, err := k.nc.Write(b); err != nil {
				return // whoever reads sees the same broken connection
			}
			continue
		}
		if last {
			_ = k.nc.CloseWrite()
			return
		}
		select {
		case <-k.more:
		case <-k.end:
			return
		}
	}
}

func (k *pipe) write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := min(len(b), pipeMost-len(k.queue))
	k.full = n < len(b)
	k.queue = append(k.queue, b[:n]...)
	k.notify()
	return n, nil
}

func (k *pipe) notify() {
	select {
	case k.more <- struct{}{}:
	default:
	}
}

func (k *pipe) closeWrite() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = true
	k.notify()
}

func (k *pipe) close() {
	close(k.end)
	_ = k.nc.SetLinger(0)
	_ = k.nc.Close()
}

func (k *pipe) play(*Game)               {}
func (k *pipe) figures() mapxfer.Figures { return mapxfer.Figures{} }
func (k *pipe) waited() time.Duration    { return 0 } // read as it comes
