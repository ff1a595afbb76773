package bots

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// writeWithin is how long a host may take no bytes from a bot.
const writeWithin = 10 * time.Second

// driver moves bytes between players and their connections and rings their
// alarms.
type driver interface {
	// add takes over a connection of a player that has begun.
	add(p *player, c net.Conn) error
	// attend must be called, with the lock held, when a player changed outside
	// of its own receive and tick.
	attend(p *player)
	// stop ends the driver, after all players are gone.
	stop()
}

// link is what a driver keeps with a player.
type link struct {
	due   time.Duration // in timers
	place int           // in timers

	conn    net.Conn      // streams
	writing bool          // streams: a goroutine is writing
	resume  chan struct{} // streams: wakes a paused reader

	polled polled // epoll
}

// streams is the driver for every system: one goroutine reads each
// connection, one rings all alarms.
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
	d.attend(p)
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
		d.attend(p)
		over := p.phase == gone
		p.g.mu.Unlock()
		if over {
			p.link.conn.Close()
			return
		}
	}
}

// attend sets the player's alarm, lets a reader go on that waited for the end of
// a pause, ends one whose player is gone, and has written what there is to say.
func (d *streams) attend(p *player) {
	if p.link.conn == nil {
		return // add will do it
	}
	if d.timers.set(p, p.due()) {
		notify(d.wake)
	}
	if !p.paused {
		notify(p.link.resume)
	}
	if p.phase == gone {
		p.link.conn.SetReadDeadline(time.Now()) // it only hastens the end
	}
	if len(p.out) > 0 && !p.link.writing {
		p.link.writing = true
		d.done.Go(func() { d.write(p) })
	}
}

// write is a goroutine of its own, because a host that does not read must not
// keep the bot from reading. It ends when nothing is left to say, or when the
// host has taken nothing for writeWithin.
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
			return // and writing stays set: reading finds the end of the connection
		}
		if p.out == nil && cap(out) <= maxOut {
			p.out = out[:0]
		}
	}
	p.link.writing = false
}

// maxOut is the largest out buffer a player keeps.
const maxOut = 4096

func (d *streams) ring() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		d.timers.ring(d.run, d.attend)
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
