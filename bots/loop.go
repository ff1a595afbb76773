package bots

import (
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// loop serves the players of some games with one goroutine: it moves bytes between
// them and their connections and rings their alarms. How it waits for bytes is up
// to its poller.
type loop struct {
	run    *run
	games  []*game
	poller poller
	until  atomic.Int64 // when the wait at hand ends; 0 outside of one
	quit   atomic.Bool
	done   sync.WaitGroup
}

// poller waits for connections with bytes to read and calls loop.received for them.
type poller interface {
	// add takes over the connection of a player; the lock of the game is held.
	add(p *player, c net.Conn) (socket, error)
	// wait returns when a connection was ready, after notify, or after d.
	wait(d time.Duration)
	notify()
	close()
}

// socket is a player's connection in a poller. Its methods do not block; the lock
// of the game is held.
type socket interface {
	// write returns how many bytes it has taken. It also takes those that it cannot
	// send any more: packets that the host sent before it closed may still be unread.
	write(b []byte) int
	watch(read, write bool)
	close()
}

// maxOut bounds the buffer that a player keeps for writing.
const maxOut = 4096

// never is the time of an alarm that is not set.
const never = time.Duration(math.MaxInt64)

// startLoops starts the loops of a run and assigns its games to them.
func (r *run) startLoops(games []*game) (stop func(), err error) {
	var loops []*loop
	stop = func() {
		for _, l := range loops {
			l.quit.Store(true)
			l.poller.notify()
			l.done.Wait()
			l.poller.close()
		}
	}
	open := openPoller
	if r.opts.Portable {
		open = openPipes
	}
	count := min(r.opts.Loops, len(games))
	for i := range count {
		l := &loop{run: r}
		if l.poller, err = open(l); err != nil {
			stop()
			return nil, err
		}
		for n := i; n < len(games); n += count {
			games[n].loop = l
			l.games = append(l.games, games[n])
		}
		loops = append(loops, l)
		l.done.Go(l.serve)
	}
	return stop, nil
}

func (l *loop) serve() {
	for !l.quit.Load() {
		l.ring()
		next := min(l.next(), l.run.now()+time.Second)
		l.until.Store(int64(next))
		if l.next() >= next { // else an alarm was set that did not see until
			l.poller.wait(max(next-l.run.now(), 0))
		}
		l.until.Store(0)
	}
}

// ring rings the alarms that are due.
func (l *loop) ring() {
	now := l.run.now()
	for _, g := range l.games {
		if g.due.Load() > int64(now) {
			continue
		}
		g.mu.Lock()
		g.due.Store(int64(never))
		for _, p := range g.players {
			if due := p.due(); p.socket != nil && due <= now {
				l.run.rec.own.add(now - due)
				p.tick(now)
			}
			l.update(p)
		}
		g.mu.Unlock()
	}
}

// next is not after the first alarm of any game.
func (l *loop) next() time.Duration {
	next := int64(never)
	for _, g := range l.games {
		next = min(next, g.due.Load())
	}
	return time.Duration(next)
}

// received handles n bytes that were read into the player's stream, and the end of
// the connection; the lock of the game is held.
func (l *loop) received(p *player, now time.Duration, n int, err error) {
	p.stream.Commit(n)
	p.receive(now)
	if err != nil {
		p.closed(err)
	}
	l.update(p)
}

// update writes the player's packets, and sets its alarm and the events that its
// socket waits for. It must be called, with the lock of the game held, after a player was
// changed outside of its receive and tick.
func (l *loop) update(p *player) {
	if p.socket == nil {
		return // the function that connects it calls update
	}
	if len(p.out) > 0 {
		p.out = p.out[:copy(p.out, p.out[p.socket.write(p.out):])]
		if len(p.out) == 0 && cap(p.out) > maxOut {
			p.out = nil
		}
	}
	if p.phase == gone {
		p.socket.close()
		p.socket = nil
		return
	}
	p.socket.watch(!p.paused, len(p.out) > 0)
	if due := int64(p.due()); due < p.g.due.Load() {
		p.g.due.Store(due)
		if due < l.until.Load() {
			l.poller.notify()
		}
	}
}

// notify leaves a token in a channel that holds one.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
