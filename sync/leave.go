package gamesync

import "w3host/w3gs"

func (g *Game) leave(e Leave, out []Effect) []Effect {
	p := g.player(e.PID)
	if p == nil {
		return out
	}
	return g.settle(g.remove(p, told(e.Reason), WhyLeft, out))
}

// told is what the others hear of a player's reason: a client may say
// anything, a host only what clients know from a running game.
func told(reason w3gs.LeaveReason) w3gs.LeaveReason {
	switch reason {
	case w3gs.LeaveDisconnect, w3gs.LeaveLost, w3gs.LeaveLostBuildings, w3gs.LeaveWon, w3gs.LeaveDraw, w3gs.LeaveObserver:
		return reason
	}
	return w3gs.LeaveLost
}

// drop puts a player out. The caller calls settle when it is done.
func (g *Game) drop(p *player, reason w3gs.LeaveReason, why Why, out []Effect) []Effect {
	out = append(out, &Drop{PID: p.PID, Reason: reason, Why: why})
	return g.remove(p, reason, why, out)
}

// dropAll puts several players out together: none of them is told of the others.
func (g *Game) dropAll(pids w3gs.PIDs, reason w3gs.LeaveReason, why Why, out []Effect) []Effect {
	g.live &^= pids
	for pid := range pids.All() {
		out = g.drop(g.byPID[pid], reason, why, out)
	}
	return out
}

// remove takes a player out of everything that waits for him and tells the
// others, now or as soon as they can be told.
func (g *Game) remove(p *player, reason w3gs.LeaveReason, why Why, out []Effect) []Effect {
	g.live &^= w3gs.Only(p.PID)
	g.absent &^= w3gs.Only(p.PID)
	switch {
	case g.phase == standing && g.laggers.Has(p.PID):
		out = g.offScreen(p, true, why, out)
	case g.phase == loading && !g.loaded.Has(p.PID) && g.cfg.LoadInGame:
		out = g.tell(g.ready(), &w3gs.StopLag{Lagger: w3gs.Lagger{PID: p.PID}}, out)
	case g.phase == loading && !g.loaded.Has(p.PID):
		out = g.tell(g.live, &w3gs.GameLoaded{PID: p.PID}, out)
	}
	leave := heldLeave{p, reason, why}
	// While their clients load, players cannot be told. And a player's actions
	// come before the leave.
	if g.sent == 0 && !g.cfg.LoadInGame || p.queued > 0 {
		g.held = append(g.held, leave)
		return out
	}
	return g.place(leave, out)
}

// place puts a leave into the order of turns.
func (g *Game) place(l heldLeave, out []Effect) []Effect {
	out = g.deliver(&w3gs.PlayerLeave{PID: l.p.PID, Reason: l.reason}, out)
	return append(out, &PlayerLeft{PID: l.p.PID, Reason: l.reason, Why: l.why, Turn: g.sent})
}

// placeHeld places the leaves that were waiting. Before a turn, those of
// players with actions in that turn must wait on.
func (g *Game) placeHeld(afterTurn bool, out []Effect) []Effect {
	keep := g.held[:0]
	for _, l := range g.held {
		if !afterTurn && l.p.queued > 0 {
			keep = append(keep, l)
			continue
		}
		out = g.place(l, out)
	}
	g.held = keep
	return out
}

// settle draws the consequences of what just happened, until nothing follows:
// hashes that can now be compared, votes that now suffice, a game that can
// begin, go on or end.
func (g *Game) settle(out []Effect) []Effect {
	if g.phase == over {
		return out
	}
	for before := w3gs.PIDs(0); before != g.live; {
		before = g.live
		if out = g.compare(out); g.phase == over {
			return out
		}
		out = g.countVotes(out)
	}
	if g.live == 0 {
		return g.finish(HowAllLeft, out)
	}
	if g.phase == loading && g.live&^g.loaded == 0 {
		out = g.begin(out)
	}
	if g.phase == standing && g.laggers == 0 {
		out = g.resume(out)
	}
	if g.lastAt == 0 && g.cfg.LastPlayer > 0 && g.phase != loading && g.began > 1 && g.live.Len() == 1 {
		g.lastAt = g.t + g.cfg.LastPlayer
	}
	return out
}

// finish ends the game: whoever is still there is put out. Nobody needs to be
// told of leaves any more.
func (g *Game) finish(how How, out []Effect) []Effect {
	reason, why := w3gs.LeaveDisconnect, WhyGameOver
	if how == HowDesync {
		reason, why = w3gs.LeaveLost, WhyDesync
	}
	for _, l := range g.held {
		out = append(out, &PlayerLeft{PID: l.p.PID, Reason: l.reason, Why: l.why, Turn: g.sent})
	}
	g.held = nil
	inside := g.inside()
	for pid := range g.live.All() {
		out = append(out, &Drop{PID: pid, Reason: reason, Why: why, Loading: !inside.Has(pid)})
	}
	for pid := range g.live.All() {
		out = append(out, &PlayerLeft{PID: pid, Reason: reason, Why: why, Turn: g.sent})
	}
	g.live, g.laggers, g.phase = 0, 0, over
	return append(out, &Over{How: how, Turns: g.sent, GameTime: g.gameTime})
}
