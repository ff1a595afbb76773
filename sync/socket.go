package gamesync

func (g *Game) backlog(e Backlog) {
	p := g.player(e.PID)
	if p == nil {
		return
	}
	p.backlog = e.Queued
	if e.Queued == 0 || e.Moves != p.moves {
		p.moves, p.moved = e.Moves, true
	}
}

// watchSockets drops players who answer turns that cannot have reached them,
// because their sockets have taken nothing since before those turns. They would
// let the queue grow without ever lagging. A slow line, or one that is cut off,
// is no offence: its player falls behind, and gets onto the lag screen.
func (g *Game) watchSockets() {
	live := g.live
	for pid := range live.All() {
		switch p := g.byPID[pid]; {
		case p.moved || p.backlog == 0:
			p.moved, p.movedTurn = false, g.sent
		case p.acked > p.movedTurn:
			g.drop(p, WhyAckedUnsent)
		}
	}
	if g.live != live {
		g.settle()
	}
}
