// Package loop is the host's event loop: one goroutine accepts connections, reads, writes and
// watches deadlines. The work for one connection in a pass is bounded, so that no client can delay
// others. The package splits the streams into packets but knows nothing about games.
package loop

import (
	"cmp"
	"fmt"
	"iter"
	"net"
	"net/netip"
	"sync"
	"time"

	"w3host/mapxfer"
)

// Loop serves its connections and groups on one goroutine. It sleeps until the next deadline or
// until a socket is ready. Nothing in it blocks, so it needs no locks.
type Loop struct {
	conns
	groups
	poll     poller
	handlers Handlers

	passes   int
	readAt   time.Duration // when the next group is read between two ticks
	heart    heart
	early    early
	running  bool   // groups that are due are being ticked
	stopping bool   // it ends with the last connection and group
	incoming []byte // what one read takes
	chunk    []byte // what pieces are framed in
	spare    struct{ dirty, unread, unwritten []*Conn }

	mu    sync.Mutex
	calls []func()
	over  bool // the poller is closed
	done  chan struct{}
}

// Handlers are called on the loop's goroutine.
type Handlers struct {
	// Arrive is called with each new connection. It must set the handler, and call Await or Cut.
	Arrive func(*Conn)
	// CannotAccept is called when accepting fails. The loop tries again after the pause.
	CannotAccept func(err error, pause time.Duration)
}

// New returns a loop on a network; nil stands for System.
func New(on Network, h Handlers) (*Loop, error) {
	l := &Loop{
		handlers: h, done: make(chan struct{}),
		chunk:    make([]byte, 0, chunkLen+mapxfer.HeaderLen+mapxfer.PartLen),
		incoming: make([]byte, passRead),
	}
	l.base, l.lingerEnd, l.early.alarm = time.Now(), never, never
	var err error
	if l.poll, err = cmp.Or(on, System).newPoller(l); err != nil {
		return nil, fmt.Errorf("cannot watch sockets: %w", err)
	}
	return l, nil
}

// Listen accepts connections from a listener. Call it before Run or on the loop's goroutine.
func (l *Loop) Listen(listener net.Listener) error { return l.poll.listen(listener) }

// ReadInto makes the loop read into the caller's memory, which must be at least as long as one
// read.
func (l *Loop) ReadInto(b []byte) { l.incoming = b[:passRead] }

// Began returns the time at which the loop's clock started.
func (l *Loop) Began() time.Time { return l.base }

// Now returns the time since Began, as of the start of the pass or the last reading of the clock.
func (l *Loop) Now() time.Duration { return l.now }

// Passes returns the number of passes so far.
func (l *Loop) Passes() int { return l.passes }

// Done returns a channel that is closed when the loop has ended.
func (l *Loop) Done() <-chan struct{} { return l.done }

// Call runs f on the loop's goroutine without waiting for it. It returns false, and does not run f,
// if the loop has ended.
func (l *Loop) Call(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	l.calls = append(l.calls, f)
	if len(l.calls) == 1 {
		l.poll.wake()
	}
	return true
}

// Wait runs f on the loop's goroutine and waits until it has returned. It returns false if the loop
// ended before. It must not be called on the loop's goroutine.
func (l *Loop) Wait(f func()) (ran bool) {
	done := make(chan struct{})
	l.Call(func() {
		defer close(done)
		ran = true
		f()
	})
	select {
	case <-done:
	case <-l.done: // perhaps just behind f
	}
	return ran
}

// Run serves until Stop has been called and all connections and groups have ended.
func (l *Loop) Run() {
	l.poll.run(l.pass)
	l.Abandon()
}

// Abandon cleans up after Run has panicked. The connections stay open.
func (l *Loop) Abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true // before the poller's descriptors are those of other files
	l.poll.close()
	close(l.done)
}

// Stop stops accepting, cuts the connections that have not been admitted, and makes Run return once
// the others have ended.
func (l *Loop) Stop(cause error) {
	l.stopping = true
	l.poll.stopListening()
	for c := range l.Expiring(Arriving) {
		c.Cut(cause)
	}
}

// LingerAtMost limits how long closing connections, now and later, wait for their clients.
func (l *Loop) LingerAtMost(d time.Duration) {
	l.lingerEnd = min(l.lingerEnd, l.now+d)
	for c := range l.Expiring(Closing) {
		c.expires = min(c.expires, l.lingerEnd)
	}
}

// Stopping reports whether Stop has been called.
func (l *Loop) Stopping() bool { return l.stopping }

// Expiring yields the connections in the state Arriving or Closing, the oldest first.
func (l *Loop) Expiring(state State) iter.Seq[*Conn] {
	list := &l.arriving
	if state == Closing {
		list = &l.lingering
	}
	return func(yield func(*Conn) bool) {
		for e := list.Front(); e != nil; {
			c := e.Value.(*Conn)
			if e = e.Next(); !yield(c) {
				return
			}
		}
	}
}

// Connections returns the number of connections.
func (l *Loop) Connections() int { return l.open }

// Group creates a group without a deadline.
func (l *Loop) Group(owner Owner, number uint32) *Group {
	g := &Group{owner: owner, number: number, all: &l.groups, due: never}
	l.groups.add(g)
	return g
}

// ReadInTime makes the loop read a connection before each tick of its group, and otherwise only as
// often as readEvery says, instead of whenever a packet arrives.
func (l *Loop) ReadInTime(g *Group, c *Conn) {
	if !g.reading {
		g.reading = true
		l.reading = append(l.reading, g)
	}
	c.Socket.watch(&g.set) // which may end the connection, and with it the group
}

// CloseGroup ends a group. Its connections stay open.
func (l *Loop) CloseGroup(g *Group) {
	if !g.closed {
		l.groups.remove(g)
		g.closed = true
		l.poll.forget(&g.set)
	}
}

// arrive creates the connection for a new socket. It returns nil if the connection was closed again
// at once.
func (l *Loop) arrive(s Socket, addr netip.AddrPort) *Conn {
	c := &Conn{all: &l.conns, Socket: s, Addr: netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())}
	l.open++
	if l.handlers.Arrive(c); c.state == Closed {
		return nil
	}
	return c
}
