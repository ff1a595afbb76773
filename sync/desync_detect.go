package gamesync

import (
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// hashes compares the players' answers to turns, which is how desyncs are detected.
type hashes struct {
	ring    turnRing
	settled uint32    // number of turns that have been compared
	skipped w3gs.PIDs // lagging observers, for whose answers no turn waits
}

// Keepalive processes a player's 0x27, the answer to the player's next unanswered turn. It does not allocate.
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
	rec := l.hashes.ring.at(p.acked)
	rec.answer(pid, sum)
	if p.acked <= l.hashes.settled && sum != rec.sum {
		l.desync(rec, l.groups(rec, l.live&rec.have), false)
	} else if l.hasCaughtUp(p) {
		if l.screen.laggers.Has(pid) {
			l.offScreen(p, false)
		}
		l.hashes.skipped &^= w3gs.Only(pid)
	}
}

// TryKeepalive is a fast path for Keepalive. It processes a player's 0x27 if nothing else follows from it, which
// holds for nearly all of them. Otherwise it does nothing and returns false, and the caller must call
// Keepalive.
func (l *Loop) TryKeepalive(now time.Duration, pid uint8, sum uint32) bool {
	p := l.player(pid)
	now = max(now, l.now)
	t := now - l.suspended
	if p == nil || l.phase != running || l.hashes.skipped != 0 || t-l.pace.due > time.Duration(l.cfg.CatchUp)*l.pace.period ||
		p.acked == l.sent || p.acked < l.hashes.settled {
		return false
	}
	rec := l.hashes.ring.at(p.acked + 1)
	if voters := l.live; p.acked == l.hashes.settled && (rec.have|w3gs.Only(pid))&voters == voters {
		return false
	}
	l.now, l.t = now, t
	p.acked++
	rec.answer(pid, sum)
	return true
}

// voters returns the players whose answers decide when a turn is settled. Answers of lagging observers are
// compared when they arrive.
func (l *Loop) voters() w3gs.PIDs { return l.live &^ l.hashes.skipped }

// compare settles all turns that every voter has answered.
func (l *Loop) compare() {
	for l.phase != over && l.hashes.settled < l.sent {
		rec, voters := l.hashes.ring.at(l.hashes.settled+1), l.voters()
		if voters == 0 || rec.have&voters != voters {
			return
		}
		l.hashes.settled++
		if !rec.differ {
			l.reportSettled(rec)
			continue
		}
		groups := l.groups(rec, l.live&rec.have)
		rec.sum = uint32(groups[0].Hash)
		tie := len(groups) > 1 && groups[0].PIDs.Len() == groups[1].PIDs.Len()
		if !tie {
			l.reportSettled(rec)
		}
		if len(groups) > 1 {
			l.desync(rec, groups, tie)
		}
	}
}

// reportSettled reports the hash of a settled turn.
func (l *Loop) reportSettled(rec *turnRecord) {
	l.out.settled = append(l.out.settled, Settled{Turn: rec.number, Hash: Hash(rec.sum)})
	l.sink.Fact(&l.out.settled[len(l.out.settled)-1])
}

// groups divides players into groups with equal hashes, the largest first. Of equally large groups, the one with the
// lowest pid comes first.
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

// Backlog reports how many bytes wait in the host for a player's socket, and a counter that changes whenever
// the socket accepts some. Call it before each Tick while bytes wait, and once more when none do.
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

// watchSockets drops players who answer turns that cannot have reached them, because their sockets have
// accepted nothing since before those turns. Their queues would otherwise grow without the player ever
// lagging. A slow connection is not punished: it leads to the lag screen.
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
