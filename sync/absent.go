package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

const (
	// remindEvery is the interval of chat lines that tell how long the others still wait.
	remindEvery = 20 * time.Second
	// outage is how long a connection must be lost before the others are told. Most players reconnect within
	// half a second, and an unstable connection would fill the others' screens.
	outage = 2 * time.Second
	// neverMoved is a value of socket.moves that no socket reaches.
	neverMoved = ^uint64(0)
	// emptyLen is the length in bytes of an empty 0x0C.
	emptyLen = 6
)

// Lost reports that a player has lost the connection and may reconnect. The game continues until the player
// lags; the lag screen then waits for wait instead of DropAfter, counted from when it appeared.
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

// announceAbsent tells the others that a player has lost the connection, unless they have been told.
func (l *Loop) announceAbsent(p *player) {
	if l.unannounced.Has(p.PID) {
		l.unannounced &^= w3gs.Only(p.PID)
		l.sayOthers(p, texts.Of("%s lost the connection and can reconnect within %v.", p.Name, l.awayLeft(p).Truncate(time.Second)))
	}
}

// Back reports that a player has reconnected. If the player is on the lag screen, DropAfter is the time to
// catch up from now on.
func (l *Loop) Back(now time.Duration, pid uint8) {
	if !l.enter(now) {
		return
	}
	if p := l.player(pid); p != nil {
		l.handleBack(p)
	}
	l.settle()
}

func (l *Loop) handleBack(p *player) {
	p.newSocket()
	if !l.absent.Has(p.PID) {
		return // the old connection was dead without anyone noticing
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

// Survived reports that the host was away for the given time, for example during a takeover by another
// process. All sockets then count as new, and lateness during that time is attributed to the host.
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

// newSocket resets the backlog state for a new connection.
func (p *player) newSocket() { p.socket.backlog, p.socket.moved, p.socket.moves = 0, true, neverMoved }

// Fed returns the players who have been sent a 0x0C; only they can resume on a new connection.
func (l *Loop) Fed() w3gs.PIDs { return l.fed }

// hasDropTime reports whether a lagging player is dropped at dropAt without a vote.
func (l *Loop) hasDropTime(pid uint8) bool { return l.cfg.DropAfter > 0 || l.absent.Has(pid) }

// lagLimit returns how long a player may stay on the lag screen, or how far an observer may fall behind.
func (l *Loop) lagLimit(p *player) time.Duration {
	if l.absent.Has(p.PID) {
		return l.awayLeft(p)
	}
	return l.lagLeft(p)
}

// remind tells the others how long they still wait for absent players.
func (l *Loop) remind() {
	l.screen.remindAt = l.t + remindEvery
	for pid := range (l.screen.laggers & l.absent).All() {
		p := l.byPID[pid]
		l.announceAbsent(p)
		left := (p.lag.dropAt - l.t + time.Second - 1).Truncate(time.Second)
		l.sayOthers(p, texts.Of("Waiting for %s to reconnect: %v left.", p.Name, left))
	}
}

// sayOthers sends a chat line to all connected players in the game except p.
func (l *Loop) sayOthers(p *player, line texts.Text) {
	if to := l.inside() &^ w3gs.Only(p.PID) &^ l.absent; to != 0 {
		l.sink.Say(to, line)
	}
}

// While waiting for a new connection, a GProxy++ feeds its client empty actions, at most Empties until the
// next 0x0C. It sends the unused ones before that 0x0C or before its first 0x48. All clients must process the
// same turns, so the host sends the others as many empty actions at the same place.

// empties returns the number of empty actions before every 0x0C. It depends on whether a player with a proxy
// is in the game; proxies learn the number before the start.
func (l *Loop) empties() int {
	if l.proxied&l.live == 0 {
		return 0
	}
	return l.cfg.Empties
}

// appendEmpties appends the empty actions that precede a turn. It returns the offset after them, where the
// frames for players with a proxy begin.
func (l *Loop) appendEmpties() (at int) {
	for range l.empties() {
		l.out.frames = (&w3gs.IncomingAction{}).AppendTo(l.out.frames)
	}
	return len(l.out.frames)
}

// broadcastBehind sends the frames that begin at offset at. Players without a proxy also get the empty
// actions that precede that offset.
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
