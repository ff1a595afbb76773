package gamesync

import (
	"time"

	"w3host/w3gs"
)

func (g *Game) action(e Action, out []Effect) []Effect {
	fake := g.fakes.Has(e.PID)
	if !fake && !g.live.Has(e.PID) {
		return out
	}
	p := g.byPID[e.PID]
	why := WhyLeft
	switch size := w3gs.ActionPrefix + len(e.Data); {
	case !fake && !g.loaded.Has(e.PID):
		why = WhyActionWhileLoading
	case len(e.Data) > w3gs.MaxActionLen:
		why = WhyActionTooLong
	case p.queued+size > waitingBursts*g.cfg.ActionBurst:
		why = WhyActionFlood
	default:
		p.queued += size
		g.pending = w3gs.AppendAction(g.pending, e.PID, e.Data)
		return out
	}
	if fake {
		return out // the host asks too often
	}
	return g.settle(g.drop(p, w3gs.LeaveDisconnect, why, out))
}

// boundary is the moment a turn is due. Either the turn goes out, or the game
// stands still from here on.
func (g *Game) boundary(out []Effect) []Effect {
	if out = g.watchSockets(out); g.phase != running {
		return out
	}
	if out = g.watchObservers(out); g.phase != running {
		return out
	}
	if laggers := g.overdue(); laggers != 0 {
		return g.screenUp(laggers, out)
	}
	out = g.placeHeld(false, out)
	out = g.turn(out)
	out = g.placeHeld(true, out)
	g.adapt()
	out = g.change(out)
	g.due += g.period
	return out
}

// turn sends what has arrived: 0x48 packets for all that does not fit, then
// the 0x0C with the increment, as one piece.
func (g *Game) turn(out []Effect) []Effect {
	late := g.t - g.due + g.suspendedTurn
	g.suspendedTurn = 0
	out = g.lateness(late, out)
	at := g.appendEmpties()
	actions := g.affordable()
	batch, rest := NextBatch(actions)
	for len(rest) > 0 {
		more := w3gs.IncomingAction2{Actions: batch}
		g.frames = more.AppendTo(g.frames)
		batch, rest = NextBatch(rest)
	}
	last := w3gs.IncomingAction{IncrementMillis: uint16(g.period / time.Millisecond), Actions: batch}
	g.frames = last.AppendTo(g.frames)

	g.remember(last.IncrementMillis, actions)
	out = g.broadcastBehind(g.live, at, out)
	if n := g.empties(); n > 0 {
		out = append(out, &Empty{Count: n})
	}
	g.turns = append(g.turns, Turn{
		Number: g.sent, Increment: last.IncrementMillis, Actions: actions, Late: late,
	})
	return append(out, &g.turns[len(g.turns)-1])
}

// remember files the turn for the hashes that will come.
func (g *Game) remember(increment uint16, actions []byte) {
	if g.history.full() {
		open := g.compared
		for pid := range g.live.All() {
			open = min(open, g.byPID[pid].acked)
		}
		if open >= reportTurns {
			g.history.forget(open + 1 - reportTurns)
		}
	}
	g.history.push(increment, g.t, actions)
	g.sent++
	g.gameTime += g.period
}

// change puts a new period and a new sync limit in force.
func (g *Game) change(out []Effect) []Effect {
	g.syncLimit = g.nextLimit
	if g.period == g.nextPeriod {
		return out
	}
	g.period = g.nextPeriod
	return append(out, &PeriodChanged{Period: g.period, Turn: g.sent + 1, Adaptive: g.byRTT})
}
