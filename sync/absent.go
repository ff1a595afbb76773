package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

const (
	// remindEvery is the time between two lines about how long the others still wait.
	remindEvery = 20 * time.Second
	// outage is how long a connection is lost before the others read of it: most come
	// back within half a second, and a line that breaks again and again would fill
	// their screens.
	outage = 2 * time.Second
	// neverMoved is a number of moves that no socket reaches.
	neverMoved = ^uint64(0)
	// emptyLen is the length of an empty 0x0C, in bytes.
	emptyLen = 6
)

// Lost says that a player's connection is lost and may come back. Nothing
// else changes until the player lags: then the lag screen waits for wait instead
// of DropAfter, counted from when it came up.
func (l *Loop) Lost(now time.Duration, pid uint8, wait time.Duration) {
	if !l.enter(now) {
		return
	}
	if p := l.player(pid); p != nil {
		if l.screen.laggers.Has(pid) {
			l.charge(p)
		}
		l.absent |= w3gs.Only(p.PID)
		p.lag.wait, p.lag.missed = wait, true
		p.newSocket()
		p.lag.dropAt = p.lag.since + l.awayLeft(p)
		p.lag.announceAt = l.t + outage
		l.unannounced |= w3gs.Only(p.PID)
	}
	l.settle()
}

// announceAbsent says to the others which players have no connection, when it lasts or they wait.
func (l *Loop) announceAbsent(p *player) {
	if l.unannounced.Has(p.PID) {
		l.unannounced &^= w3gs.Only(p.PID)
		l.sayOthers(p, texts.Of("%s lost the connection and can reconnect within %v.", p.Name, l.awayLeft(p).Truncate(time.Second)))
	}
}

// Back says that a player whose connection was lost has one again. On the lag screen
// there is DropAfter from now on to catch up.
func (l *Loop) Back(now time.Duration, pid uint8) {
	if !l.enter(now) {
		return
	}
	if p := l.player(pid); p != nil {
		l.isBack(p)
	}
	l.settle()
}

func (l *Loop) isBack(p *player) {
	p.newSocket()
	if !l.absent.Has(p.PID) {
		return // the old connection was half dead, and nobody had noticed
	}
	if l.screen.laggers.Has(p.PID) {
		l.charge(p)
	}
	l.absent &^= w3gs.Only(p.PID)
	p.lag.dropAt = l.t + l.lagLimit(p)
	p.lag.catchUp = l.t + l.cfg.DropAfter
	if l.unannounced.Has(p.PID) {
		l.unannounced &^= w3gs.Only(p.PID)
	} else {
		l.sayOthers(p, texts.Of("%s is back.", p.Name))
	}
}

// Survived says that the host was away for that long: every player's socket counts as
// new, and anything late meanwhile was late because of the host.
func (l *Loop) Survived(now, outage time.Duration) {
	if !l.enter(now) {
		return
	}
	for pid := range l.live.All() {
		l.byPID[pid].newSocket()
	}
	l.lateness.add(l.t, outage)
	l.settle()
}

// newSocket forgets the backlog of the old connection's socket.
func (p *player) newSocket() { p.socket.backlog, p.socket.moved, p.socket.moves = 0, true, neverMoved }

// Fed returns the players who have been sent a 0x0C, and so can resume a connection.
func (l *Loop) Fed() w3gs.PIDs { return l.fed }

// drops reports whether a lagger is dropped at dropAt even without a vote.
func (l *Loop) drops(pid uint8) bool { return l.cfg.DropAfter > 0 || l.absent.Has(pid) }

// lagLimit returns how long a player may stay on the lag screen, or an observer behind.
func (l *Loop) lagLimit(p *player) time.Duration {
	if l.absent.Has(p.PID) {
		return l.awayLeft(p)
	}
	return l.lagLeft(p)
}

// remind says to the others how long they still wait for absent players.
func (l *Loop) remind() {
	l.screen.remindAt = l.t + remindEvery
	for pid := range (l.screen.laggers & l.absent).All() {
		p := l.byPID[pid]
		l.announceAbsent(p)
		left := (p.lag.dropAt - l.t + time.Second - 1).Truncate(time.Second)
		l.sayOthers(p, texts.Of("Waiting for %s to reconnect: %v left.", p.Name, left))
	}
}

// sayOthers says a line to all others who see the game and have a connection.
func (l *Loop) sayOthers(p *player, line texts.Text) {
	if to := l.inside() &^ w3gs.Only(p.PID) &^ l.absent; to != 0 {
		l.sink.Say(to, line)
	}
}

// A proxy that waits for a new connection feeds its client empty actions, at
// most Empties before the next 0x0C, and puts the unused ones before that
// 0x0C, or before its first 0x48. So that everybody has the same history, those
// without a proxy are sent as many there.

// empties returns how many empty actions precede every 0x0C. It depends on who is in
// the game; proxies learn it before the start.
func (l *Loop) empties() int {
	if l.proxied&l.live == 0 {
		return 0
	}
	return l.cfg.Empties
}

// appendEmpties begins frames that everybody gets behind empty actions. For players
// with a proxy the frames begin at the returned place.
func (l *Loop) appendEmpties() (at int) {
	for range l.empties() {
		l.out.frames = (&w3gs.IncomingAction{}).AppendTo(l.out.frames)
	}
	return len(l.out.frames)
}

// broadcastBehind sends the frames from at on. Players without a proxy also get the
// empty actions before them.
func (l *Loop) broadcastBehind(to w3gs.PIDs, at int) {
	l.fed |= to
	empties := l.empties()
	if empties == 0 {
		l.broadcast(to, at)
		return
	}
	l.broadcast(to&^l.proxied, at-empties*emptyLen)
	l.broadcast(to&l.proxied, at)
}
