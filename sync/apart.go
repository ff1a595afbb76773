package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
)

// Part says that a player's client has ended, and that the player may come back with a new
// one, which is shown the game from its start. Nothing waits for them meanwhile, and they
// decide nothing; the others' clients keep the player, since they are sent no 0x07. A proxy
// that stood before the client is gone with it.
func (l *Loop) Part(now time.Duration, pid uint8) {
	if l.enter(now) {
		if p := l.player(pid); p != nil && !l.apart.Has(pid) {
			l.part(p)
		}
		l.settle()
	}
}

func (l *Loop) part(p *player) {
	one := w3gs.Only(p.PID)
	switch {
	case l.phase == standing && l.screen.laggers.Has(p.PID):
		l.offScreen(p, true)
	case l.phase == loading && !l.loaded.Has(p.PID):
		l.loadWithout(p)
	}
	l.apart, l.absent, l.unannounced, l.proxied = l.apart|one, l.absent&^one, l.unannounced&^one, l.proxied&^one
	for n := l.hashes.settled + 1; n < l.hashes.history.next; n++ { // the answers of the client to come count
		l.hashes.history.at(n).have &^= one
	}
	p.ping, p.lag = ping{}, lag{}
	p.newSocket()
}

// loadWithout has the others not wait for a client that loads.
func (l *Loop) loadWithout(p *player) {
	if l.cfg.LoadInGame {
		l.send(l.ready(), &w3gs.StopLag{Lagger: w3gs.Lagger{PID: p.PID}})
	} else {
		l.send(l.live&^w3gs.Only(p.PID), &w3gs.GameLoaded{PID: p.PID})
	}
	l.loaded |= w3gs.Only(p.PID)
}

// Hold has the game stand still for players who are apart, behind a lag screen, for so long at
// most.
func (l *Loop) Hold(now time.Duration, pids w3gs.PIDs, wait time.Duration) {
	if l.enter(now) {
		l.standStill(pids, wait)
		l.settle()
	}
}

func (l *Loop) standStill(pids w3gs.PIDs, wait time.Duration) {
	more := pids & l.apart & l.live &^ l.screen.laggers
	if more == 0 || l.present() == 0 {
		return
	}
	switch l.phase {
	case running:
		l.screenUp(more)
	case standing:
		l.takeDown(l.screen.laggers)
		for pid := range more.All() {
			l.enlist(l.byPID[pid])
		}
		l.screen.laggers |= more
		l.send(l.ready(), l.startLag(l.screen.laggers))
	default:
		return
	}
	for pid := range more.All() {
		l.byPID[pid].lag.dropAt = l.t + wait
	}
}

// GoOn has the game stand still for players who are apart no longer.
func (l *Loop) GoOn(now time.Duration) {
	if l.enter(now) {
		if l.phase == standing {
			l.letGoOn(l.screen.laggers & l.apart)
		}
		l.settle()
	}
}

// letGoOn takes players who are apart off the lag screen.
func (l *Loop) letGoOn(held w3gs.PIDs) {
	for pid := range held.All() {
		l.offScreen(l.byPID[pid], true)
	}
}

// Rejoin says that the new client of a player who is apart has been sent all turns, of which
// it has answered acked. sums are its answers to those of them that are not settled.
func (l *Loop) Rejoin(now time.Duration, pid uint8, acked uint32, sums []uint32) {
	if l.enter(now) {
		if (l.apart & l.live).Has(pid) {
			l.rejoin(l.byPID[pid], acked, sums)
		}
		l.settle()
	}
}

func (l *Loop) rejoin(p *player, acked uint32, sums []uint32) {
	one := w3gs.Only(p.PID)
	if l.phase == loading { // it is the first to have seen the game that this one goes on from
		l.loaded = l.live
		l.begin()
	}
	l.apart, l.returned, l.hashes.skipped = l.apart&^one, l.returned|one, l.hashes.skipped&^one
	p.acked = acked
	p.newSocket()
	for i, sum := range sums {
		l.hashes.history.at(l.hashes.settled+1+uint32(i)).answer(p.PID, sum)
	}
	if l.phase == standing {
		l.send(one, l.startLag(l.screen.laggers))
		if l.screen.laggers.Has(p.PID) {
			l.offScreen(p, false)
		}
	}
}

// Joinable reports whether a client that has been sent all turns and has answered so many can
// carry its player again: it is no further behind than one that comes off the lag screen.
func (l *Loop) Joinable(acked uint32) bool {
	return (l.phase != loading || l.cfg.Played > 0) && 2*int(l.sent-acked) <= l.pace.limit && acked+1 >= l.hashes.history.oldest
}

// Apart returns the players who have no client and may come back.
func (l *Loop) Apart() w3gs.PIDs { return l.apart & l.live }

// present returns the players whose clients are in the game.
func (l *Loop) present() w3gs.PIDs { return l.live &^ l.apart }
