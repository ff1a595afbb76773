package bots

import (
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// loop serves the players of some games with one goroutine: it moves bytes between them and their connections and calls
// their alarms. Its poller waits for the bytes.
type loop struct {
	run    *run
	games  []*game
	poller poller
	until  atomic.Int64 // when the current wait ends; 0 while not waiting
	quit   atomic.Bool
	done   sync.WaitGroup
}

// poller waits for connections with bytes to read and calls loop.received for each.
type poller interface {
	// add takes ownership of the connection of a player. The game's mu must be held.
	add(p *player, c net.Conn) (socket, error)
	// wait returns when a connection was ready, after notify, or after d.
	wait(d time.Duration)
	notify()
	close()
}

// socket is a player's connection in a poller. Its methods do not block; the game's mu must be held.
type socket interface {
	// write returns how many bytes of b it has accepted. On a broken connection it accepts all: they are lost, but packets
	// that the host sent before it closed can still be read.
	write(b []byte) int
	watch(read, write bool)
	close()
}

// maxOut is the largest write buffer, in bytes, that a player keeps when it is empty.
const maxOut = 4096

// never is the due time while no alarm is set.
const never = time.Duration(math.MaxInt64)

// startLoops starts the loops of a run and distributes the games over them. stop ends the loops and waits for them.
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
		if l.next() >= next { // otherwise an alarm was set before until was stored
			l.poller.wait(max(next-l.run.now(), 0))
		}
		l.until.Store(0)
	}
}

// ring calls the alarms that are due.
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

// next returns a time not later than the first alarm of any game.
func (l *loop) next() time.Duration {
	next := int64(never)
	for _, g := range l.games {
		next = min(next, g.due.Load())
	}
	return time.Duration(next)
}

// received handles n bytes that were read into the player's stream, and the end of the connection if err is not nil. The
// game's mu must be held.
func (l *loop) received(p *player, now time.Duration, n int, err error) {
	p.stream.Commit(n)
	p.receive(now)
	if err != nil {
		p.closed(err)
	}
	l.update(p)
}

// update writes the player's packets, and sets its alarm and the events that its socket waits for. It must be called,
// with the game's mu held, after a player was changed outside of receive and tick.
func (l *loop) update(p *player) {
	if p.socket == nil {
		return // the function that connects the player calls update
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

// notify sends to a channel of capacity 1 unless it is full.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
