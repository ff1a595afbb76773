package bots

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// writeWithin bounds how long a write waits for the host to read.
const writeWithin = 10 * time.Second

// driver moves bytes between players and their connections, and calls players
// when an alarm is due.
type driver interface {
	// add takes over the connection of a player.
	add(p *player, c net.Conn) error
	// update must be called, with the lock of the game held, after a player was
	// changed outside of its receive and tick.
	update(p *player)
	// stop ends the driver. All players must be gone.
	stop()
}

// link is what a driver keeps with a player.
type link struct {
	due   time.Duration // in timers
	place int           // in timers

	conn    net.Conn      // streams
	writing bool          // streams: a goroutine is writing
	resume  chan struct{} // streams: notifies a paused reader

	polled polled // epoll
}

// streams is the portable driver: one goroutine reads each connection, another one
// serves all alarms.
type streams struct {
	run    *run
	timers timers
	wake   chan struct{}
	quit   chan struct{}
	done   sync.WaitGroup
}

func newStreams(r *run) *streams {
	d := &streams{run: r, wake: make(chan struct{}, 1), quit: make(chan struct{})}
	d.done.Go(d.ring)
	return d
}

func (d *streams) add(p *player, c net.Conn) error {
	p.g.mu.Lock()
	p.link.conn = c
	p.link.resume = make(chan struct{}, 1)
	d.update(p)
	p.g.mu.Unlock()
	d.done.Go(func() { d.read(p) })
	return nil
}

// read ends when the connection does, or the player is gone.
func (d *streams) read(p *player) {
	for {
		n, err := p.link.conn.Read(p.stream.Free())
		now := d.run.now()
		p.g.mu.Lock()
		for p.paused && p.phase != gone {
			p.g.mu.Unlock()
			<-p.link.resume
			now = d.run.now()
			p.g.mu.Lock()
		}
		p.stream.Commit(n)
		p.receive(now)
		if err != nil {
			p.closed(err)
		}
		d.update(p)
		over := p.phase == gone
		p.g.mu.Unlock()
		if over {
			p.link.conn.Close()
			return
		}
	}
}

// update sets the player's alarm, resumes or ends its reader, and starts to write
// what it has to send.
func (d *streams) update(p *player) {
	if p.link.conn == nil {
		return // add calls update again
	}
	if d.timers.set(p, p.due()) {
		notify(d.wake)
	}
	if !p.paused {
		notify(p.link.resume)
	}
	if p.phase == gone {
		p.link.conn.SetReadDeadline(time.Now()) // ends the reader
	}
	if len(p.out) > 0 && !p.link.writing {
		p.link.writing = true
		d.done.Go(func() { d.write(p) })
	}
}

// write runs on a goroutine of its own, because a host that does not read must not
// keep the bot from reading. It ends when everything is written, or when a write
// fails.
func (d *streams) write(p *player) {
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	for len(p.out) > 0 {
		out := p.out
		p.out = nil
		p.g.mu.Unlock()
		p.link.conn.SetWriteDeadline(time.Now().Add(writeWithin)) // Write reports it
		_, err := p.link.conn.Write(out)
		p.g.mu.Lock()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.link.conn.Close()
		}
		if err != nil {
			return // writing stays set: the reader finds the end of the connection
		}
		if p.out == nil && cap(out) <= maxOut {
			p.out = out[:0]
		}
	}
	p.link.writing = false
}

// maxOut bounds the buffer that a player keeps for writing.
const maxOut = 4096

func (d *streams) ring() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		d.timers.ring(d.run, d.update)
		wait := time.Hour
		if next := d.timers.next(); next != 0 {
			wait = next - d.run.now()
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-d.wake:
		case <-d.quit:
			return
		}
	}
}

func (d *streams) stop() {
	close(d.quit)
	d.done.Wait()
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
