// Package simnet is an in-memory network for tests: listeners and connections that behave like TCP on Linux,
// over lines with delay, loss and interruptions.
//
// Its only clock is package time. In a bubble of testing/synctest, a test of an hour therefore takes only as
// long as its computations, and time limits can be tested with their real values:
//
//	synctest.Test(t, func(t *testing.T) {
//		n := simnet.New(1) // the seed of jitter, loss and splitting
//		defer n.Close()
//		l, _ := n.Listen(netip.MustParseAddrPort("10.0.0.1:6112"))
//		line := simnet.Line{Delay: 20 * time.Millisecond}
//		client, _ := n.Dial(netip.MustParseAddr("10.0.0.5"), netip.MustParseAddrPort("10.0.0.1:6112"), line, line)
//		server, _ := l.Accept()
//		...
//	})
//
// A Conn is a net.Conn with methods for faults: Hold interrupts the line for a while, Sever leaves both ends
// half open, Reset ends the connection immediately. Event loops use TryRead, TryWrite and Notify, which never
// block. Copy and File simulate file descriptors shared by several processes.
//
// A single goroutine processes all events in order of time; simultaneous events keep the order in which they
// were caused. The same seed and calls produce the same run.
//
// The conformance tests run the same cases on this network and on the system's loopback interface. Only real
// sockets show what they do not cover: epoll edges, TCP_INFO, SIOCOUTQ and NOTSENT_LOWAT.
package simnet

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// Line is one direction between two ends.
type Line struct {
	Delay  time.Duration // one-way delay
	Jitter time.Duration // maximum random additional delay; bytes stay in order
	Rate   int64         // bytes per second; 0 means no limit
	Buffer int           // bytes that may queue in front of the line; 0 means defaultBuffer
	Loss   float64       // fraction of segments that are retransmitted, which delays everything after them
	Split  float64       // fraction of segments that arrive in two pieces
}

const (
	// window limits the bytes of one direction that are in flight or unread.
	window = 256 << 10
	// defaultBuffer is the queue of a home router, as in testkit.Line.
	defaultBuffer = 256 << 10
	// segment is the maximum size of a piece of a stream.
	segment = 1460
	// unsent is the capacity of the sender's socket buffer in front of the line's queue.
	unsent = 16 << 10
	// again is the minimum delay of a retransmission.
	again = 200 * time.Millisecond
)

// Net is a network. Close it at the end of the test. It is safe for concurrent use.
type Net struct {
	base time.Time
	kick chan struct{} // holds a token when the first event has changed
	over chan struct{}
	once sync.Once
	done chan struct{}

	mu        sync.Mutex
	random    *rand.Rand
	events    events
	seq       uint64
	todo      []func() // functions of users to run on the network's goroutine
	listeners map[netip.AddrPort]*Listener
	ports     uint16
	files     map[int]*Conn
	lastFile  int
	figures   struct{ events, bytes int64 }
}

// New returns a network with the given random seed.
func New(seed uint64) *Net {
	n := &Net{
		base: time.Now(), kick: make(chan struct{}, 1), over: make(chan struct{}), done: make(chan struct{}),
		random: rand.New(rand.NewPCG(seed, 0x5EED)), listeners: map[netip.AddrPort]*Listener{}, ports: 40000, files: map[int]*Conn{},
	}
	go n.run() // ends with Close
	return n
}

// Close stops the network; nothing arrives any more.
func (n *Net) Close() {
	n.once.Do(func() { close(n.over) })
	<-n.done
}

// Figures returns the number of events and bytes processed.
func (n *Net) Figures() (events, bytes int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.figures.events, n.figures.bytes
}

func (n *Net) now() time.Duration { return time.Since(n.base) }

// event is a function to call at a time.
type event struct {
	at  time.Duration
	seq uint64
	do  func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	old[len(old)-1] = event{}
	*e = old[:len(old)-1]
	return last
}

// at schedules do, which is called with the lock held. The caller must hold the lock.
func (n *Net) at(when time.Duration, do func()) {
	n.seq++
	n.push(event{when, n.seq, do})
}

// push inserts an event. A postponed event keeps its sequence number and so stays before later ones.
func (n *Net) push(e event) {
	heap.Push(&n.events, e)
	if n.events[0].seq == e.seq {
		select {
		case n.kick <- struct{}{}:
		default:
		}
	}
}

// After calls f on the network's goroutine after d. Nothing else happens in the network while it runs.
func (n *Net) After(d time.Duration, f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.at(n.now()+d, func() { n.todo = append(n.todo, f) })
}

func (n *Net) run() {
	defer close(n.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		n.mu.Lock()
		for now := n.now(); len(n.events) > 0 && n.events[0].at <= now; {
			n.figures.events++
			heap.Pop(&n.events).(event).do()
		}
		todo := n.todo
		n.todo = nil
		n.mu.Unlock()
		for _, f := range todo {
			f()
		}
		n.mu.Lock()
		if len(n.events) > 0 {
			timer.Reset(n.events[0].at - n.now())
		}
		n.mu.Unlock()
		select {
		case <-n.kick:
		case <-timer.C:
		case <-n.over:
			return
		}
	}
}

// Listener accepts connections.
type Listener struct {
	n      *Net
	addr   netip.AddrPort
	queue  []*Conn
	came   func()
	news   chan struct{}
	closed bool
}

// Listen opens a port; 0 selects a free one.
func (n *Net) Listen(at netip.AddrPort) (*Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if at.Port() == 0 {
		n.ports++
		at = netip.AddrPortFrom(at.Addr(), n.ports)
	}
	if n.listeners[at] != nil {
		return nil, fmt.Errorf("listen on %v: %w", at, syscall.EADDRINUSE)
	}
	l := &Listener{n: n, addr: at, news: make(chan struct{}, 1)}
	n.listeners[at] = l
	return l, nil
}

// Notify registers a function to call when a connection arrives. It must not block or use the network.
func (l *Listener) Notify(came func()) {
	l.n.mu.Lock()
	defer l.n.mu.Unlock()
	l.came = came
	if len(l.queue) > 0 && came != nil {
		came()
	}
}

// TryAccept returns a connection that has arrived, or nil.
func (l *Listener) TryAccept() *Conn {
	l.n.mu.Lock()
	defer l.n.mu.Unlock()
	if len(l.queue) == 0 || l.closed {
		return nil
	}
	c := l.queue[0]
	l.queue = l.queue[1:]
	return c
}

// Accept waits for a connection.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		if c := l.TryAccept(); c != nil {
			return c, nil
		}
		if _, ok := <-l.news; !ok {
			return nil, net.ErrClosed
		}
	}
}

// Close refuses further connections and resets those not accepted yet.
func (l *Listener) Close() error {
	l.n.mu.Lock()
	defer l.n.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	delete(l.n.listeners, l.addr)
	for _, c := range l.queue {
		c.reset()
	}
	l.queue = nil
	close(l.news)
	return nil
}

// Addr returns the listening address.
func (l *Listener) Addr() net.Addr { return net.TCPAddrFromAddrPort(l.addr) }

// Open starts to connect and returns immediately. The function registered with Conn.Handle is called when the
// connection is established or has failed, and whenever data arrives.
func (n *Net) Open(from netip.Addr, to netip.AddrPort, up, down Line) *Conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ports++
	here, there := n.conn(netip.AddrPortFrom(from, n.ports), to), n.conn(to, netip.AddrPortFrom(from, n.ports))
	here.peer, there.peer = there, here
	here.way.Line, there.way.Line = up, down
	here.opening = true
	here.way.carry(n, 0, func() {
		l := n.listeners[to]
		if l == nil {
			there.way.carry(n, 0, func() { here.fail(syscall.ECONNREFUSED) })
			return
		}
		l.queue = append(l.queue, there)
		if l.came != nil {
			l.came()
		}
		select {
		case l.news <- struct{}{}:
		default:
		}
		there.way.carry(n, 0, func() {
			here.opening = false
			here.tell(Writable)
		})
	})
	return here
}

// Dial is like Open but waits until the connection is established.
func (n *Net) Dial(from netip.Addr, to netip.AddrPort, up, down Line) (*Conn, error) {
	c := n.Open(from, to, up, down)
	for {
		n.mu.Lock()
		opening, err := c.opening, c.inEnd
		n.mu.Unlock()
		switch {
		case !opening && err == syscall.ECONNREFUSED:
			return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(to), Err: err}
		case !opening:
			return c, nil
		}
		<-c.writable
	}
}

// Pair returns the two ends of a connection without a listener.
func (n *Net) Pair(up, down Line) (here, there *Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	a, b := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 1), netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 2)
	here, there = n.conn(a, b), n.conn(b, a)
	here.peer, there.peer = there, here
	here.way.Line, there.way.Line = up, down
	return here, there
}
