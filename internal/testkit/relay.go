package testkit

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

const (
	// segment is the payload of an Ethernet frame, the unit that enters the line.
	segment = 1460
	// window limits the segments of a connection between its sender and receiver, like a TCP receive window.
	window = 2048
	// socketBuffer is the buffer size of the relay's own sockets. The kernel's default would be another queue
	// of megabytes. A smaller one cannot hold the loopback's 64 KiB segments, and TCP would wait for timers.
	socketBuffer = 128 << 10
)

// Relay forwards TCP connections to one target over an emulated line with a delay, a rate and a router-like
// buffer in each direction. All connections share the line.
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

// NewRelay opens a relay to target on a free loopback port until the test ends. up is the line from the
// clients to the target, down the line back.
func NewRelay(t testing.TB, target string, up, down Line) *Relay {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("relay to %s: %v", target, err)
	}
	r := newRelay(target, up, down)
	r.listener = l
	r.done.Go(r.accept)
	t.Cleanup(r.Close)
	return r
}

func newRelay(target string, up, down Line) *Relay {
	return &Relay{
		target: target, start: time.Now(),
		up: newQueue(up), down: newQueue(down), conns: map[net.Conn]struct{}{},
	}
}

// Addr returns the address for clients.
func (r *Relay) Addr() string { return r.listener.Addr().String() }

// Break cuts all connections; new ones are still accepted.
func (r *Relay) Break() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		_ = c.Close()
	}
}

// Close cuts all connections and waits for their goroutines.
func (r *Relay) Close() {
	_ = r.listener.Close()
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.Break()
	r.done.Wait()
}

// accept runs until the listener is closed.
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
			_ = c.(*net.TCPConn).SetReadBuffer(socketBuffer)
			_ = c.(*net.TCPConn).SetWriteBuffer(socketBuffer)
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
	r.done.Go(func() { // ends with both directions
		directions.Wait()
		_ = client.Close()
		_ = target.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.conns, client)
		delete(r.conns, target)
	})
}

// parcel is data on the line; nil data marks the end of the stream.
type parcel struct {
	data    []byte
	arrives time.Duration
}

// carry relays one direction until it ends. A FIN arrives after all data before it; a reset takes effect
// immediately.
func (r *Relay) carry(q *queue, from, to net.Conn) {
	line := make(chan parcel, window)
	var delivering sync.WaitGroup
	delivering.Go(func() { r.deliver(line, from, to) }) // ends with the line
	defer delivering.Wait()
	defer close(line)
	buf := make([]byte, segment)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			enters, arrives := q.enter(r.now(), n)
			r.sleepUntil(enters)
			line <- parcel{bytes.Clone(buf[:n]), arrives}
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

// deliver writes each parcel when it arrives. If the receiver has gone, the sender is cut, and data on the
// line is lost.
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

// endWriting closes one direction of a TCP connection, or the whole of a pipe.
func endWriting(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
		return
	}
	_ = c.Close()
}

// cut closes a connection, with a reset on TCP.
func cut(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
