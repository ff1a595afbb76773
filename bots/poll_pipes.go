package bots

import (
	"errors"
	"net"
	"os"
	"time"
)

// writeWithin is how long a write waits for a host that does not read.
const writeWithin = 10 * time.Second

// pipes is the poller of systems without epoll: one goroutine reads each connection and passes the bytes to the loop.
type pipes struct {
	l    *loop
	news chan struct{}
}

func openPipes(l *loop) (poller, error) { return &pipes{l, make(chan struct{}, 1)}, nil }

func (q *pipes) notify() { notify(q.news) }
func (q *pipes) close()  {}

func (q *pipes) wait(d time.Duration) {
	select {
	case <-q.news:
	case <-time.After(d):
	}
}

func (q *pipes) add(p *player, c net.Conn) (socket, error) {
	k := &pipe{l: q.l, g: p.g, p: p, conn: c, resume: make(chan struct{}, 1)}
	q.l.done.Go(k.read)
	return k, nil
}

// pipe is a connection with a goroutine that reads it, and at times one that writes. The game's mu guards it.
type pipe struct {
	l       *loop
	g       *game
	p       *player
	conn    net.Conn
	resume  chan struct{} // wakes a paused reader
	queue   []byte        // bytes still to be written
	writing bool
}

// read runs until the connection ends or the player no longer uses it.
func (k *pipe) read() {
	k.g.mu.Lock()
	defer k.g.mu.Unlock()
	for k.p.socket == k {
		free := k.p.stream.Free()
		k.g.mu.Unlock()
		n, err := k.conn.Read(free)
		now := k.l.run.now()
		k.g.mu.Lock()
		for k.p.socket == k && k.p.paused {
			k.g.mu.Unlock()
			<-k.resume
			now = k.l.run.now()
			k.g.mu.Lock()
		}
		if k.p.socket == k {
			k.l.received(k.p, now, n, err)
		}
		if err != nil {
			return
		}
	}
}

func (k *pipe) watch(read, _ bool) {
	if read {
		notify(k.resume)
	}
}

func (k *pipe) close() {
	notify(k.resume)
	k.conn.Close()
}

// write passes the bytes to a goroutine, because a host that does not read must not keep the bot from reading.
func (k *pipe) write(b []byte) int {
	k.queue = append(k.queue, b...)
	if !k.writing {
		k.writing = true
		k.l.done.Go(k.flush)
	}
	return len(b)
}

func (k *pipe) flush() {
	k.g.mu.Lock()
	defer k.g.mu.Unlock()
	for len(k.queue) > 0 {
		b := k.queue
		k.queue = nil
		k.g.mu.Unlock()
		k.conn.SetWriteDeadline(time.Now().Add(writeWithin)) // Write returns the error
		_, err := k.conn.Write(b)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			k.conn.Close()
		}
		k.g.mu.Lock()
		if err != nil {
			return // writing stays true; the reader finds the end of the connection
		}
	}
	k.writing = false
}
