package gamesync

import "w3host/w3gs"

// ReportBacklog takes how many bytes wait in the host for a player's socket, and
// a number that changes whenever the socket takes some. It is called before each
// Tick at which something waits, and once when nothing does any more.
func (g *Game) ReportBacklog(pid uint8, queued int, moves uint64) {
	p := g.player(pid)
	if p == nil {
		return
	}
	p.backlog = queued
	if queued == 0 || moves != p.moves {
		p.moves, p.moved = moves, true
	}
}

// watchSockets drops players who answer turns that cannot have reached them,
// because their sockets have taken nothing since before those turns. They would
// let the queue grow without ever lagging. A slow line, or one that is cut off,
// is no offence: its player falls behind, and the lag screen judges him.
func (g *Game) watchSockets(out []Effect) []Effect {
	live := g.live
	for pid := range live.All() {
		switch p := g.byPID[pid]; {
		case p.moved || p.backlog == 0:
			p.moved, p.movedTurn = false, g.sent
		case p.acked > p.movedTurn:
			out = g.drop(p, w3gs.LeaveDisconnect, WhyAckedUnsent, out)
		}
	}
	if g.live != live {
		out = g.settle(out)
	}
	return out
}
