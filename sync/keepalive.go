package gamesync

import (
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// hashes is the compare of what players answer to turns.
type hashes struct {
	history history
	settled uint32    // turns that are compared
	skipped w3gs.PIDs // observers who lag: no turn waits for their answers
}

// Keepalive takes a player's 0x27, the answer to the next unanswered turn. It allocates nothing.
func (l *Loop) Keepalive(now time.Duration, pid uint8, sum uint32) {
	if l.enter(now) {
		l.keepalive(pid, sum)
		l.settle()
	}
}

func (l *Loop) keepalive(pid uint8, sum uint32) {
	p := l.player(pid)
	if p == nil {
		return
	}
	if p.acked == l.sent {
		l.drop(p, WhyKeepaliveFlood)
		return
	}
	p.acked++
	rec := l.hashes.history.at(p.acked)
	rec.answer(pid, sum)
	if p.acked <= l.hashes.settled && sum != rec.sum {
		l.desync(rec, l.groups(rec, l.live&rec.have), false)
	} else if l.back(p) {
		if l.screen.laggers.Has(pid) {
			l.offScreen(p, false)
		}
		l.hashes.skipped &^= w3gs.Only(pid)
	}
}

// Answer takes a player's 0x27 if nothing follows from it, as from nearly all: the turn goes on, and others have not
// answered it, either. Else it does nothing, and Keepalive has to.
func (l *Loop) Answer(now time.Duration, pid uint8, sum uint32) bool {
	p := l.player(pid)
	now = max(now, l.now)
	t := now - l.suspended
	if p == nil || l.phase != running || l.hashes.skipped != 0 || t-l.pace.due > time.Duration(l.cfg.CatchUp)*l.pace.period ||
		p.acked == l.sent || p.acked < l.hashes.settled {
		return false
	}
	rec := l.hashes.history.at(p.acked + 1)
	if voters := l.live; p.acked == l.hashes.settled && (rec.have|w3gs.Only(pid))&voters == voters {
		return false
	}
	l.now, l.t = now, t
	p.acked++
	rec.answer(pid, sum)
	return true
}

// voters returns the players for whose answers a turn waits. The answers of an observer
// who lags are compared when they come.
func (l *Loop) voters() w3gs.PIDs { return l.live &^ l.hashes.skipped }

// compare settles all turns that every voter has answered.
func (l *Loop) compare() {
	for l.phase != over && l.hashes.settled < l.sent {
		rec, voters := l.hashes.history.at(l.hashes.settled+1), l.voters()
		if voters == 0 || rec.have&voters != voters {
			return
		}
		l.hashes.settled++
		if !rec.differ {
			l.agree(rec)
			continue
		}
		groups := l.groups(rec, l.live&rec.have)
		rec.sum = uint32(groups[0].Hash)
		tie := len(groups) > 1 && groups[0].PIDs.Len() == groups[1].PIDs.Len()
		if !tie {
			l.agree(rec)
		}
		if len(groups) > 1 {
			l.desync(rec, groups, tie)
		}
	}
}

// agree reports a turn's hash.
func (l *Loop) agree(rec *turnRecord) {
	l.out.settled = append(l.out.settled, Settled{Turn: rec.number, Hash: Hash(rec.sum)})
	l.sink.Fact(&l.out.settled[len(l.out.settled)-1])
}

// groups sorts players by their hash: the largest group first, among equals
// the one with the lowest pid.
func (l *Loop) groups(rec *turnRecord, players w3gs.PIDs) []Group {
	var groups []Group
	for pid := range players.All() {
		hash := rec.hashes[pid]
		i := slices.IndexFunc(groups, func(gr Group) bool { return gr.Hash == Hash(hash) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, Group{Hash: Hash(hash)})
		}
		groups[i].Players = append(groups[i].Players, l.byPID[pid].Name)
		groups[i].PIDs |= w3gs.Only(pid)
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return b.PIDs.Len() - a.PIDs.Len() })
	return groups
}

// Backlog says how many bytes wait in the host for a player's socket, and a number
// that changes whenever the socket takes some. It comes before each Tick at
// which something waits, and once when nothing does any more.
func (l *Loop) Backlog(now time.Duration, pid uint8, queued int, moves uint64) {
	if !l.enter(now) {
		return
	}
	if p := l.player(pid); p != nil {
		p.socket.backlog = queued
		if queued == 0 || moves != p.socket.moves {
			p.socket.moves, p.socket.moved = moves, true
		}
	}
	l.settle()
}

// watchSockets drops players who answer turns that cannot have reached them, because
// their sockets have taken nothing since before those turns: their queue would grow
// without a lag. A slow line is no offence: its player gets onto the lag screen.
func (l *Loop) watchSockets() {
	live := l.live
	for pid := range live.All() {
		switch p := l.byPID[pid]; {
		case p.socket.moved || p.socket.backlog == 0:
			p.socket.moved, p.socket.movedTurn = false, l.sent
		case p.acked > p.socket.movedTurn:
			l.drop(p, WhyAckedUnsent)
		}
	}
	if l.live != live {
		l.settle()
	}
}
