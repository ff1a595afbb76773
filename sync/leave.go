package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
)

// leave is a 0x07 that cannot be sent yet.
type leave struct {
	pid    uint8
	reason w3gs.LeaveReason
	why    DropReason
}

// Leave reports that a player is gone: the client sent a 0x21, lost the connection (reason 1), or was kicked.
func (l *Loop) Leave(now time.Duration, pid uint8, reason w3gs.LeaveReason) {
	if l.enter(now) {
		if p := l.player(pid); p != nil {
			l.remove(p, reported(reason), WhyLeft)
		}
		l.settle()
	}
}

// reported returns the reason sent to the others. Clients may send any reason, but expect only those of a
// running game.
func reported(reason w3gs.LeaveReason) w3gs.LeaveReason {
	switch reason {
	case w3gs.LeaveDisconnect, w3gs.LeaveLost, w3gs.LeaveLostBuildings, w3gs.LeaveWon, w3gs.LeaveDraw, w3gs.LeaveObserver:
		return reason
	}
	return w3gs.LeaveLost
}

// drop removes a player. The caller must call settle afterwards.
func (l *Loop) drop(p *player, why DropReason) {
	l.sink.Drop(p.PID, why, false)
	l.remove(p, why.reason(), why)
}

// dropAll removes several players at once, without sending them each other's leaves.
func (l *Loop) dropAll(pids w3gs.PIDs, why DropReason) {
	l.live &^= pids
	for pid := range pids.All() {
		l.drop(l.byPID[pid], why)
	}
}

// remove removes a player from the game, and sends the 0x07 to the others as soon as their clients can
// process it.
func (l *Loop) remove(p *player, reason w3gs.LeaveReason, why DropReason) {
	l.live &^= w3gs.Only(p.PID)
	l.absent &^= w3gs.Only(p.PID)
	switch {
	case l.phase == lagging && l.screen.laggers.Has(p.PID):
		l.offScreen(p, true)
	case l.phase == counting:
		l.loaded |= w3gs.Only(p.PID) // the others are told when their clients load
	case l.phase == loading && !l.loaded.Has(p.PID):
		if l.cfg.LoadInGame {
			l.send(l.ready(), &w3gs.StopLag{Lagger: w3gs.Lagger{PID: p.PID}})
		} else {
			l.send(l.live, &w3gs.GameLoaded{PID: p.PID})
		}
		l.loaded |= w3gs.Only(p.PID)
	}
	l.shareUnits(p)
	l.pendingLeaves = append(l.pendingLeaves, leave{p.PID, reason, why})
	// Loading clients cannot process a 0x07.
	if l.sent > 0 || l.cfg.LoadInGame && l.phase != counting {
		l.sendPendingLeaves()
	}
}

// sendPendingLeaves sends the waiting leaves, except those of players who still have pending actions, because those
// must be sent first.
func (l *Loop) sendPendingLeaves() {
	keep := l.pendingLeaves[:0]
	for _, left := range l.pendingLeaves {
		if p := l.byPID[left.pid]; p.queued+p.early > 0 {
			keep = append(keep, left)
			continue
		}
		l.deliver(&w3gs.PlayerLeave{PID: left.pid, Reason: left.reason})
		l.sink.Left(left.pid, left.reason, left.why)
	}
	l.pendingLeaves = keep
}

// settle performs everything that has become possible: compare hashes, count votes, and start, resume or end
// the game.
func (l *Loop) settle() {
	for before := w3gs.PIDs(0); l.phase != over && before != l.live; {
		before = l.live
		if l.compare(); l.phase != over {
			l.countVotes()
		}
	}
	switch {
	case l.phase == over:
		return
	case l.live == 0:
		l.finish(EndAllLeft)
		return
	case l.phase == loading && l.live&^l.loaded == 0:
		l.begin()
	case l.phase == lagging && l.screen.laggers == 0:
		l.resume()
	}
	if l.lastAt == 0 && l.cfg.LastPlayer > 0 && !l.Loading() && l.startHumans > l.cfg.LastPlayers && l.live.Len() <= l.cfg.LastPlayers {
		l.lastAt = l.t + l.cfg.LastPlayer
	}
}

// finish ends the game and drops all remaining players. No 0x07 is sent any more.
func (l *Loop) finish(how EndReason) {
	why := WhyGameOver
	if how == EndDesync {
		why = WhyDesync
	}
	inside := l.inside()
	for pid := range l.live.All() {
		l.sink.Drop(pid, why, !inside.Has(pid))
	}
	// After the drops, because a leave may cause a chat line, which loading clients must not receive.
	for _, left := range l.pendingLeaves {
		l.sink.Left(left.pid, left.reason, left.why)
	}
	for pid := range l.live.All() {
		l.sink.Left(pid, why.reason(), why)
	}
	l.pendingLeaves, l.live, l.screen.laggers, l.phase = nil, 0, 0, over
	l.sink.Over(Over{How: how, Turns: l.sent, GameTime: l.gameTime})
}
