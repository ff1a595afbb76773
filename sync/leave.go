package gamesync

import "w3host/w3gs"

func (e Leave) apply(g *Game) {
	if p := g.player(e.PID); p != nil {
		g.remove(p, told(e.Reason), WhyLeft)
	}
}

// told is the reason that the others are told: clients may send anything, but expect
// only those of a running game.
func told(reason w3gs.LeaveReason) w3gs.LeaveReason {
	switch reason {
	case w3gs.LeaveDisconnect, w3gs.LeaveLost, w3gs.LeaveLostBuildings, w3gs.LeaveWon, w3gs.LeaveDraw, w3gs.LeaveObserver:
		return reason
	}
	return w3gs.LeaveLost
}

// drop removes a player. The caller must see to it that settle is called.
func (g *Game) drop(p *player, why Why) {
	g.emit(&Drop{PID: p.PID, Reason: why.reason(), Why: why})
	g.remove(p, why.reason(), why)
}

// dropAll removes several players together: none of them is told of the others.
func (g *Game) dropAll(pids w3gs.PIDs, why Why) {
	g.live &^= pids
	for pid := range pids.All() {
		g.drop(g.byPID[pid], why)
	}
}

// remove takes a player out of all that waits for them and tells the others, at once
// or as soon as possible.
func (g *Game) remove(p *player, reason w3gs.LeaveReason, why Why) {
	g.live &^= w3gs.Only(p.PID)
	g.absent &^= w3gs.Only(p.PID)
	switch {
	case g.phase == standing && g.laggers.Has(p.PID):
		g.offScreen(p, true)
	case g.phase == loading && !g.loaded.Has(p.PID) && g.cfg.LoadInGame:
		g.tell(g.ready(), &w3gs.StopLag{Lagger: w3gs.Lagger{PID: p.PID}})
	case g.phase == loading && !g.loaded.Has(p.PID):
		g.tell(g.live, &w3gs.GameLoaded{PID: p.PID})
	}
	g.held = append(g.held, PlayerLeft{PID: p.PID, Reason: reason, Why: why})
	// While their clients load, players cannot be told.
	if g.sent > 0 || g.cfg.LoadInGame {
		g.placeHeld()
	}
}

// placeHeld sends the leaves that wait, except for players whose actions still wait:
// these must go first.
func (g *Game) placeHeld() {
	keep := g.held[:0]
	for _, left := range g.held {
		if g.byPID[left.PID].queued > 0 {
			keep = append(keep, left)
			continue
		}
		g.deliver(&w3gs.PlayerLeave{PID: left.PID, Reason: left.Reason})
		left.Turn = g.sent
		g.emit(&left)
	}
	g.held = keep
}

// settle does what has become possible, until nothing more follows: compare hashes,
// count votes, begin, go on or end.
func (g *Game) settle() {
	for before := w3gs.PIDs(0); g.phase != over && before != g.live; {
		before = g.live
		if g.compare(); g.phase != over {
			g.countVotes()
		}
	}
	switch {
	case g.phase == over:
		return
	case g.live == 0:
		g.finish(HowAllLeft)
		return
	case g.phase == loading && g.live&^g.loaded == 0:
		g.begin()
	case g.phase == standing && g.laggers == 0:
		g.resume()
	}
	if g.lastAt == 0 && g.cfg.LastPlayer > 0 && g.phase != loading && g.began > 1 && g.live.Len() == 1 {
		g.lastAt = g.t + g.cfg.LastPlayer
	}
}

// finish ends the game and drops all who are left. Nobody needs to be told of leaves
// any more.
func (g *Game) finish(how How) {
	why := WhyGameOver
	if how == HowDesync {
		why = WhyDesync
	}
	inside := g.inside()
	for pid := range g.live.All() {
		g.emit(&Drop{PID: pid, Reason: why.reason(), Why: why, Loading: !inside.Has(pid)})
	}
	// Behind the drops, since a leave may have the lobby say a line, which a client that loads must not get.
	for _, left := range g.held {
		left.Turn = g.sent
		g.emit(&left)
	}
	for pid := range g.live.All() {
		g.emit(&PlayerLeft{PID: pid, Reason: why.reason(), Why: why, Turn: g.sent})
	}
	g.held, g.live, g.laggers, g.phase = nil, 0, 0, over
	g.emit(&Over{How: how, Turns: g.sent, GameTime: g.gameTime})
}
