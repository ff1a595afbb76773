package gamesync

import (
	"slices"

	"w3host/w3gs"
)

func (g *Game) keepalive(pid uint8, sum uint32) {
	p := g.player(pid)
	if p == nil {
		return
	}
	if p.acked == g.sent {
		g.drop(p, WhyKeepaliveFlood)
		return
	}
	p.acked++
	rec := g.history.at(p.acked)
	rec.answer(pid, sum)
	if p.acked <= g.compared && sum != rec.sum {
		g.desync(rec, g.groups(rec, g.live&rec.have), false)
	} else if g.back(p) {
		if g.laggers.Has(pid) {
			g.offScreen(p, false)
		}
		g.late &^= w3gs.Only(pid)
	}
}

// voters is the players for whose hashes a turn waits. The hashes of an observer who
// lags are compared when they come.
func (g *Game) voters() w3gs.PIDs { return g.live &^ g.late }

// compare settles all turns that every voter has answered.
func (g *Game) compare() {
	for g.phase != over && g.compared < g.sent {
		rec, voters := g.history.at(g.compared+1), g.voters()
		if voters == 0 || rec.have&voters != voters {
			return
		}
		g.compared++
		if !rec.differ {
			g.agree(rec)
			continue
		}
		groups := g.groups(rec, g.live&rec.have)
		rec.sum = uint32(groups[0].Hash)
		tie := len(groups) > 1 && groups[0].PIDs.Len() == groups[1].PIDs.Len()
		if !tie {
			g.agree(rec)
		}
		if len(groups) > 1 {
			g.desync(rec, groups, tie)
		}
	}
}

// agree reports a turn's hash.
func (g *Game) agree(rec *turnRecord) {
	g.agreed = append(g.agreed, Settled{Turn: rec.number, Hash: Hash(rec.sum)})
	g.emit(&g.agreed[len(g.agreed)-1])
}

// groups sorts players by their hash: the largest group first, among equals
// the one with the lowest pid.
func (g *Game) groups(rec *turnRecord, players w3gs.PIDs) []Group {
	var groups []Group
	for pid := range players.All() {
		hash := rec.hashes[pid]
		i := slices.IndexFunc(groups, func(gr Group) bool { return gr.Hash == Hash(hash) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, Group{Hash: Hash(hash)})
		}
		groups[i].Players = append(groups[i].Players, g.byPID[pid].Name)
		groups[i].PIDs |= w3gs.Only(pid)
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return b.PIDs.Len() - a.PIDs.Len() })
	return groups
}

func (e Backlog) apply(g *Game) {
	p := g.player(e.PID)
	if p == nil {
		return
	}
	p.backlog = e.Queued
	if e.Queued == 0 || e.Moves != p.moves {
		p.moves, p.moved = e.Moves, true
	}
}

// watchSockets drops players who answer turns that cannot have reached them, because
// their sockets have taken nothing since before those turns: their queue would grow
// without a lag. A slow line is no offence: its player gets onto the lag screen.
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
