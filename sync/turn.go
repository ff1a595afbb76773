package gamesync

import (
	"time"

	"w3host/w3gs"
)

// Action takes the data of a player's 0x26. It goes out with the next turn, or
// the first that his budget allows, after all that came before it. While others
// still load it waits for the first turn.
func (g *Game) Action(now time.Duration, pid uint8, data []byte, out []Effect) []Effect {
	p := g.player(pid)
	if g.enter(now); p == nil {
		return out
	}
	why := WhyLeft
	switch size := w3gs.ActionPrefix + len(data); {
	case !g.loaded.Has(pid):
		why = WhyActionWhileLoading
	case len(data) > w3gs.MaxActionLen:
		why = WhyActionTooLong
	case p.queued+size > waitingBursts*g.cfg.ActionBurst:
		why = WhyActionFlood
	default:
		p.queued += size
		g.pending = w3gs.AppendAction(g.pending, pid, data)
		return out
	}
	return g.settle(g.drop(p, w3gs.LeaveDisconnect, why, out))
}

// SetPeriod changes the time between turns from the next turn on. The turn
// that is under way keeps its time and its increment. It turns the adaptive
// period off.
func (g *Game) SetPeriod(now, period time.Duration, out []Effect) []Effect {
	g.enter(now)
	g.cfg.Adaptive.On = false
	g.nextPeriod, g.byRTT = clampPeriod(period), false
	return out
}

// SetSyncLimit changes how many turns a player may be behind, from the next
// turn on.
func (g *Game) SetSyncLimit(now time.Duration, turns int, out []Effect) []Effect {
	g.enter(now)
	g.nextLimit = min(max(turns, 1), MaxSyncLimit)
	return out
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
	late := g.t - g.due + g.dozed
	g.dozed = 0
	out = g.lateness(late, out)
	from := len(g.frames)
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
	out = g.broadcast(g.live, from, out)
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
		if open >= dossierTurns {
			g.history.forget(open + 1 - dossierTurns)
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
