package gamesync

import (
	"fmt"
	"time"

	"w3host/texts"
	"w3host/w3gs"
)

const (
	// remindEvery is how often the others are told how long the wait still is.
	remindEvery = 20 * time.Second
	// neverMoved is a count of moves that no socket reaches.
	neverMoved = ^uint64(0)
	// emptyLen is an empty 0x0C.
	emptyLen = 6
)

func (e Absent) apply(g *Game) {
	p := g.player(e.PID)
	if p == nil {
		return
	}
	g.absent |= w3gs.Only(p.PID)
	p.wait, p.missed = e.Wait, true
	p.newSocket()
	p.dropAt = p.lagSince + e.Wait
	g.sayOthers(p, texts.Of("%s has lost the connection; it can come back for %s.", p.Name, clockTime(e.Wait)))
}

func (e Back) apply(g *Game) {
	p := g.player(e.PID)
	if p == nil {
		return
	}
	p.newSocket()
	if !g.absent.Has(p.PID) {
		return // the old connection was half dead, and nobody had noticed
	}
	g.absent &^= w3gs.Only(p.PID)
	p.dropAt = g.t + g.cfg.DropAfter
	g.sayOthers(p, texts.Of("%s is back.", p.Name))
}

// newSocket forgets the backlog of the old connection's socket.
func (p *player) newSocket() { p.backlog, p.moved, p.moves = 0, true, neverMoved }

// Fed is the players who have been sent a 0x0C, and so can resume a connection.
func (g *Game) Fed() w3gs.PIDs { return g.fed }

// drops reports whether a lagger is dropped at dropAt even without a vote.
func (g *Game) drops(pid uint8) bool { return g.cfg.DropAfter > 0 || g.absent.Has(pid) }

// lagLimit is how long a player may stay on the lag screen, or an observer behind.
func (g *Game) lagLimit(p *player) time.Duration {
	if g.absent.Has(p.PID) {
		return p.wait
	}
	return g.cfg.DropAfter
}

// remind tells the others how long they still wait for absent players.
func (g *Game) remind() {
	g.remindAt = g.t + remindEvery
	for pid := range (g.laggers & g.absent).All() {
		p := g.byPID[pid]
		left := (p.dropAt - g.t + time.Second - 1) / time.Second
		g.sayOthers(p, texts.Of("Waiting for %s to come back: %d s left.", p.Name, left))
	}
}

// sayOthers says a line to all others who see the game and have a connection.
func (g *Game) sayOthers(p *player, line texts.Text) {
	if to := g.inside() &^ w3gs.Only(p.PID) &^ g.absent; to != 0 {
		g.emit(&Say{To: to, Text: line})
	}
}

// clockTime writes 3m0s as "3:00".
func clockTime(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", d/time.Minute, d%time.Minute/time.Second)
}

// A proxy that waits for a new connection feeds its client empty actions, at
// most Empties before the next 0x0C, and puts what it has not used before that
// 0x0C, or before its first 0x48. So that everybody has the same history, those
// without a proxy are sent as many there.

// empties is how many empty actions precede every 0x0C. It is decided by who
// is in the game, and proxies are told before the start.
func (g *Game) empties() int {
	if g.proxied&g.live == 0 {
		return 0
	}
	return g.cfg.Empties
}

// appendEmpties begins frames that everybody gets behind empty actions; at is
// where they begin for proxies.
func (g *Game) appendEmpties() (at int) {
	for range g.empties() {
		g.frames = (&w3gs.IncomingAction{}).AppendTo(g.frames)
	}
	return len(g.frames)
}

// broadcastBehind sends the frames from at on, and to those without a proxy
// the empty actions before them.
func (g *Game) broadcastBehind(to w3gs.PIDs, at int) {
	g.fed |= to
	empties := g.empties()
	if empties == 0 {
		g.broadcast(to, at)
		return
	}
	g.broadcast(to&^g.proxied, at-empties*emptyLen)
	g.broadcast(to&g.proxied, at)
}
