package testkit

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

const (
	// segment is what enters the line at once: the payload of an Ethernet frame.
	segment = 1460
	// onTheWay bounds the segments of one connection that have left its sender
	// and are not yet taken by its receiver, as a receiver's window does.
	onTheWay = 2048
	// sockets is the buffer of the relay's own sockets. What the kernel would give
	// them is a second queue of megabytes. With less than this they would be too
	// small for the segments of 64 KiB on the loopback, and TCP waits for timers.
	sockets = 128 << 10
)

// Relay is an emulated line: it passes TCP connections on to one target, with a
// delay, a rate, a buffer like that of a router and stalls in each of two
// directions. All connections share it.
type Relay struct {
	listener net.Listener
	target   string
	start    time.Time
	up, down *queue

	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	closed bool
	done   sync.WaitGroup
}

// NewRelay opens a relay to target on a free port of the loopback. Up carries what
// clients say to the target, down what they are told.
func NewRelay(target string, up, down Line) (*Relay, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("relay to %s: %w", target, err)
	}
	r := newRelay(target, up, down)
	r.listener = l
	r.done.Go(r.accept)
	return r, nil
}

func newRelay(target string, up, down Line) *Relay {
	return &Relay{
		target: target, start: time.Now(),
		up: newQueue(up), down: newQueue(down), conns: map[net.Conn]struct{}{},
	}
}

// Addr is what clients connect to.
func (r *Relay) Addr() string { return r.listener.Addr().String() }

// Stall lets nothing through for a while, in both directions. What is on its way
// already arrives.
func (r *Relay) Stall(lasting time.Duration) {
	now := r.now()
	r.up.stall(now, lasting)
	r.down.stall(now, lasting)
}

// Down tells how many bytes have been carried to the clients, and how long one of
// them had to wait at most in the queue before the line.
func (r *Relay) Down() (carried int64, longest time.Duration) { return r.down.stats() }

// Up is Down for the other direction.
func (r *Relay) Up() (carried int64, longest time.Duration) { return r.up.stats() }

// Close cuts all connections and waits for their goroutines.
func (r *Relay) Close() {
	_ = r.listener.Close()
	r.mu.Lock()
	r.closed = true
	for c := range r.conns {
		_ = c.Close()
	}
	r.mu.Unlock()
	r.done.Wait()
}

// accept ends when the listener is closed.
func (r *Relay) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		target, err := net.Dial("tcp4", r.target)
		if err != nil {
			cut(client)
			continue
		}
		for _, c := range []net.Conn{client, target} {
			_ = c.(*net.TCPConn).SetReadBuffer(sockets)
			_ = c.(*net.TCPConn).SetWriteBuffer(sockets)
		}
		r.join(client, target)
	}
}

// join relays between two connections until both directions have ended.
func (r *Relay) join(client, target net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		cut(client)
		cut(target)
		return
	}
	r.conns[client], r.conns[target] = struct{}{}, struct{}{}
	var directions sync.WaitGroup
	directions.Go(func() { r.carry(r.up, client, target) })
	directions.Go(func() { r.carry(r.down, target, client) })
	r.done.Go(func() { // ends with the two
		directions.Wait()
		_ = client.Close()
		_ = target.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.conns, client)
		delete(r.conns, target)
	})
}

// parcel is what is on its way: bytes, or the end of the stream.
type parcel struct {
	data    []byte
	arrives time.Duration
}

// carry takes one direction from its first byte to its end. An orderly end
// arrives in its turn, behind the bytes before it; a reset cuts at once.
func (r *Relay) carry(q *queue, from, to net.Conn) {
	line := make(chan parcel, onTheWay)
	delivered := make(chan struct{})
	go func() { // ends with the line
		defer close(delivered)
		r.deliver(line, from, to)
	}()
	defer func() { <-delivered }()
	defer close(line)
	buf := make([]byte, segment)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			enters, arrives := q.enter(r.now(), n)
			r.sleepUntil(enters)
			line <- parcel{append([]byte(nil), buf[:n]...), arrives}
		}
		switch {
		case errors.Is(err, io.EOF):
			_, arrives := q.enter(r.now(), 0)
			line <- parcel{nil, arrives}
			return
		case err != nil:
			cut(to)
			return
		}
	}
}

// deliver hands over what has arrived. When the receiver has gone, the sender is
// cut, and what was on its way is lost.
func (r *Relay) deliver(line <-chan parcel, from, to net.Conn) {
	gone := false
	for p := range line {
		if gone {
			continue
		}
		r.sleepUntil(p.arrives)
		if p.data == nil {
			endWriting(to)
			continue
		}
		if _, err := to.Write(p.data); err != nil {
			gone = true
			cut(from)
		}
	}
}

func (r *Relay) now() time.Duration { return time.Since(r.start) }

func (r *Relay) sleepUntil(at time.Duration) { time.Sleep(at - r.now()) }

// endWriting closes one direction; a connection that cannot is closed whole.
func endWriting(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = c.Close()
}

// cut closes with a reset where the connection knows one.
func cut(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
