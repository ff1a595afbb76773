//go:build !linux || portable

package loop

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"w3host/mapxfer"
)

// pipeRead is the buffer size of the goroutine that reads from a connection.
const pipeRead = 16 << 10

// pipeMost is the maximum number of bytes queued for the goroutine that writes to a connection.
const pipeMost = 64 << 10

// systemPoller is the poller of systems without epoll. Each connection has two goroutines, for
// which the loop never waits.
type systemPoller struct {
	loop      *Loop
	news      chan struct{} // holds one token when there are calls
	timer     *time.Timer
	listeners []*net.TCPListener
}

// adopt is never called, nor are copied, Reset and Leave, because the supervisor exists only on
// Linux.
func (*systemPoller) adopt(int, func(Socket) *Conn) *Conn { return nil }
func (*pipe) copied() int                                 { return -1 }
func (system) Reset(int)                                  {}
func (system) Release(int)                                {}

func (system) newPoller(l *Loop) (poller, error) {
	return &systemPoller{loop: l, news: make(chan struct{}, 1), timer: time.NewTimer(0)}, nil
}

func (p *systemPoller) listen(listener net.Listener) error {
	l := listener.(*net.TCPListener)
	p.listeners = append(p.listeners, l)
	go p.accept(l) // ends when the listener is closed
	return nil
}

func (p *systemPoller) accept(l *net.TCPListener) {
	pause := 5 * time.Millisecond
	for {
		nc, err := l.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of file descriptors, most likely: it passes
			p.loop.Call(func() { p.loop.handlers.CannotAccept(err, pause) })
			time.Sleep(pause)
			pause = min(2*pause, time.Second)
			continue
		}
		pause = 5 * time.Millisecond
		if !p.loop.Wait(func() { // at most one at a time is on its way to the loop
			k := &pipe{nc: nc, taken: make(chan struct{}, 1), more: make(chan struct{}, 1), end: make(chan struct{})}
			k.loop.Store(p.loop)
			if k.conn = p.loop.arrive(k, nc.RemoteAddr().(*net.TCPAddr).AddrPort()); k.conn == nil {
				return
			}
			go k.readAll()  // ends with the connection
			go k.writeAll() // likewise
		}) {
			_ = nc.Close() // the loop has ended meanwhile
		}
	}
}

func (p *systemPoller) stopListening() {
	for _, l := range p.listeners {
		_ = l.Close()
	}
}

func (p *systemPoller) run(pass func() (idle time.Duration, over bool)) {
	for {
		idle, over := pass()
		if over {
			return
		}
		if idle < 0 {
			<-p.news
			continue
		}
		p.timer.Reset(idle)
		select {
		case <-p.news:
		case <-p.timer.C:
		}
	}
}

func (p *systemPoller) wake() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

func (p *systemPoller) collect()            {} // input comes as a call
func (p *systemPoller) deliver(int)         {}
func (p *systemPoller) next() time.Duration { return never }
func (p *systemPoller) read(*set)           {}
func (p *systemPoller) forget(*set)         {}
func (p *systemPoller) close()              { p.stopListening() }

// pipe is a connection with a goroutine for each direction.
type pipe struct {
	nc    *net.TCPConn
	loop  atomic.Pointer[Loop] // for which it works
	conn  *Conn
	in    []byte        // has come, and is the loop's until it is taken
	inErr error         // has come behind in
	taken chan struct{} // holds one token when in is empty again
	more  chan struct{} // holds one token when there is something to write
	end   chan struct{} // closed with the connection

	mu    sync.Mutex
	queue []byte
	last  bool // the sending side ends behind queue
	full  bool // the loop waits for room
}

// readAll passes the received bytes to the loop. While the loop has not taken them, it reads no
// more, so that TCP slows the client down.
func (k *pipe) readAll() {
	buf := make([]byte, pipeRead)
	for {
		n, err := k.nc.Read(buf)
		for passed := false; !passed; {
			l := k.loop.Load()
			if !l.Wait(func() {
				if passed = k.loop.Load() == l; passed { // it is not on its way to another
					k.in, k.inErr = buf[:n], cause(err)
					l.Receive(k.conn)
				}
			}) && k.loop.Load() == l {
				return
			}
		}
		if err != nil {
			return
		}
		select {
		case <-k.taken:
		case <-k.end:
			return
		}
	}
}

func (k *pipe) Read(b []byte) (n int, more bool, err error) {
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

// cause returns the error without the addresses that package net puts before it.
func cause(err error) error {
	if errors.Is(err, io.EOF) {
		return ErrClientClosed
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
			l := k.loop.Load()
			l.Call(func() {
				if k.loop.Load() == l {
					l.writable(k.conn)
				}
			})
		}
		if len(b) > 0 {
			if _, err := k.nc.Write(b); err != nil {
				return // the reader sees the same broken connection
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

func (k *pipe) Write(b []byte) (int, error) {
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

func (k *pipe) CloseWrite() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = true
	k.notify()
}

func (k *pipe) release() { k.Close() }

func (k *pipe) move(to *Loop, begin func(Socket) *Conn) {
	if !to.Call(func() { k.conn = begin(k) }) {
		k.Close()
		return
	}
	k.loop.Store(to)
}

func (k *pipe) Close() {
	close(k.end)
	_ = k.nc.SetLinger(0)
	_ = k.nc.Close()
}

func (k *pipe) watch(*set)               {}
func (k *pipe) Figures() mapxfer.Figures { return mapxfer.Figures{} }
func (k *pipe) Waited() time.Duration    { return 0 } // read as it comes
