package gamesync

import (
	"slices"

	"w3host/w3gs"
)

func (g *Game) keepalive(e Keepalive, out []Effect) []Effect {
	p := g.player(e.PID)
	if p == nil {
		return out
	}
	if p.acked == g.sent {
		return g.settle(g.drop(p, w3gs.LeaveDisconnect, WhyKeepaliveFlood, out))
	}
	p.acked++
	rec := g.history.at(p.acked)
	rec.answer(e.PID, e.Sum)
	if p.acked <= g.compared && e.Sum != rec.sum {
		return g.settle(g.desync(rec, g.groups(rec, g.live&rec.have), false, out))
	}
	if g.back(p) {
		if g.laggers.Has(e.PID) {
			return g.settle(g.offScreen(p, false, WhyLeft, out))
		}
		g.late &^= w3gs.Only(e.PID)
	}
	if rec := g.history.at(g.compared + 1); rec.have&g.voters() != g.voters() {
		return out
	}
	return g.settle(out)
}

// voters is whose hashes a turn waits for. An observer who lags is compared
// alone when theirs come.
func (g *Game) voters() w3gs.PIDs { return g.live &^ g.late }

// compare settles all turns that every voter has answered.
func (g *Game) compare(out []Effect) []Effect {
	for g.phase != over && g.compared < g.sent {
		rec, voters := g.history.at(g.compared+1), g.voters()
		if voters == 0 || rec.have&voters != voters {
			return out
		}
		g.compared++
		if !rec.differ {
			out = g.settled(rec, out)
			continue
		}
		groups := g.groups(rec, g.live&rec.have)
		rec.sum = uint32(groups[0].Hash)
		tie := len(groups) > 1 && groups[0].PIDs.Len() == groups[1].PIDs.Len()
		if !tie {
			out = g.settled(rec, out)
		}
		if len(groups) > 1 {
			out = g.desync(rec, groups, tie, out)
		}
	}
	return out
}

// settled tells of a turn's hash. The list of those told is used again, so that
// a turn makes no garbage.
func (g *Game) settled(rec *turnRecord, out []Effect) []Effect {
	g.agreed = append(g.agreed, Settled{rec.number, Hash(rec.sum)})
	return append(out, &g.agreed[len(g.agreed)-1])
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
