// Package loop carries the bytes of all connections on one goroutine: it accepts, reads,
// writes and keeps deadlines, and its work for one connection before others have
// their turn is bounded. It knows packets by their frames, and no game.
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

// Loop serves its connections and groups on one goroutine: it waits for the next
// deadline or for news of a socket, and nothing in it blocks, so no lock is needed and
// no goroutine is woken for a packet.
type Loop struct {
	conns
	groups
	poll     poller
	handlers Handlers

	passes   int
	readAt   time.Duration // when the next group is read between two ticks
	heart    heart
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
	// Arrive takes a new connection: it sets the handler, and has it awaited or cut.
	Arrive func(*Conn)
	// CannotAccept reports a fault of the system; it is tried again after the pause.
	CannotAccept func(err error, pause time.Duration)
}

// New makes a loop on a network, nil: System; nothing happens before Run.
func New(on Network, h Handlers) (*Loop, error) {
	l := &Loop{
		handlers: h, done: make(chan struct{}),
		chunk:    make([]byte, 0, chunkLen+mapxfer.HeaderLen+mapxfer.PartLen),
		incoming: make([]byte, passRead),
	}
	l.base, l.lingerEnd = time.Now(), never
	var err error
	if l.poll, err = cmp.Or(on, System).newPoller(l); err != nil {
		return nil, fmt.Errorf("cannot watch sockets: %w", err)
	}
	return l, nil
}

// Listen has the connections of a listener accepted. It must come before Run, or on the loop's
// goroutine.
func (l *Loop) Listen(listener net.Listener) error { return l.poll.listen(listener) }

// ReadInto has reads go into memory of the caller, at least as long as a read.
func (l *Loop) ReadInto(b []byte) { l.incoming = b[:passRead] }

// Began is when the loop was made: its clock begins there.
func (l *Loop) Began() time.Time { return l.base }

// Now is the time since the loop was made, at its last look at the clock.
func (l *Loop) Now() time.Duration { return l.now }

// Passes is how often the loop has gone round.
func (l *Loop) Passes() int { return l.passes }

// Done is closed when the loop has ended.
func (l *Loop) Done() <-chan struct{} { return l.done }

// Call runs f on the loop's goroutine; false: the loop has ended, and it does nothing.
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

// Wait runs f on the loop's goroutine, and returns when it has; false: the loop has
// ended before. It must not be called on the loop.
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

// Run serves until the loop is stopped and the last connection and group have ended.
func (l *Loop) Run() {
	l.poll.run(l.pass)
	l.Abandon()
}

// Abandon ends a loop whose Run has panicked. Its connections are still open.
func (l *Loop) Abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true // before the poller's descriptors are those of other files
	l.poll.close()
	close(l.done)
}

// Stop accepts no more connections, cuts those that were not admitted yet, and lets the
// loop end with the last of the others.
func (l *Loop) Stop(cause error) {
	l.stopping = true
	l.poll.stopListening()
	for c := range l.Expiring(Arriving) {
		c.Cut(cause)
	}
}

// LingerAtMost has the connections that close, now or later, cut after that time at the latest.
func (l *Loop) LingerAtMost(d time.Duration) {
	l.lingerEnd = min(l.lingerEnd, l.now+d)
	for c := range l.Expiring(Closing) {
		c.expires = min(c.expires, l.lingerEnd)
	}
}

// Stopping reports whether Stop was called.
func (l *Loop) Stopping() bool { return l.stopping }

// Expiring yields the connections that are Arriving or Closing, the longest so first.
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

// Connections is how many there are.
func (l *Loop) Connections() int { return l.open }

// Group begins a group without a deadline.
func (l *Loop) Group(owner Owner, number uint32) *Group {
	g := &Group{owner: owner, number: number, all: &l.groups, due: never}
	l.groups.add(g)
	return g
}

// ReadInTime has a connection read before each tick of its group, and between two ticks as
// seldom as readEvery says, instead of waking the loop for each packet.
func (l *Loop) ReadInTime(g *Group, c *Conn) {
	if !g.reading {
		g.reading = true
		l.reading = append(l.reading, g)
	}
	c.Socket.watch(&g.set) // which may end the connection, and with it the group
}

// CloseGroup ends a group. Its connections go on.
func (l *Loop) CloseGroup(g *Group) {
	if !g.closed {
		l.groups.remove(g)
		g.closed = true
		l.poll.forget(&g.set)
	}
}

// arrive takes a connected socket; nil: it is closed again.
func (l *Loop) arrive(s Socket, addr netip.AddrPort) *Conn {
	c := &Conn{all: &l.conns, Socket: s, Addr: netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())}
	l.open++
	if l.handlers.Arrive(c); c.state == Closed {
		return nil
	}
	return c
}
