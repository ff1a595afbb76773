package gamesync

import (
	"time"

	"w3host/w3gs"
)

func (g *Game) action(pid uint8, data []byte) {
	fake := g.fakes.Has(pid)
	if !fake && !g.live.Has(pid) {
		return
	}
	p := g.byPID[pid]
	why := WhyLeft
	switch size := w3gs.ActionPrefix + len(data); {
	case !fake && !g.loaded.Has(pid):
		why = WhyActionWhileLoading
	case len(data) > w3gs.MaxActionLen:
		why = WhyActionTooLong
	case p.queued+size > waitingBursts*g.cfg.ActionBurst:
		why = WhyActionFlood
	default:
		p.queued += size
		g.pending = w3gs.AppendAction(g.pending, pid, data)
		return
	}
	if !fake { // else the host asks too often
		g.drop(p, why)
	}
}

// boundary is the moment when a turn is due: it is sent, or the lag screen comes up.
func (g *Game) boundary() {
	if g.watchSockets(); g.phase != running {
		return
	}
	if g.watchObservers(); g.phase != running {
		return
	}
	if laggers := g.overdue(); laggers != 0 {
		g.screenUp(laggers)
		return
	}
	g.placeHeld()
	g.turn()
	g.placeHeld()
	g.adapt()
	g.change()
	g.due += g.period
}

// turn sends the waiting actions as one frame: 0x48 packets for what does not fit, then
// the 0x0C with the increment.
func (g *Game) turn() {
	late := g.t - g.due + g.suspendedTurn
	g.suspendedTurn = 0
	g.lateness(late)
	actions := g.affordable()
	at := g.appendEmpties()
	batch, rest := NextBatch(actions)
	for len(rest) > 0 {
		more := w3gs.IncomingAction2{Actions: batch}
		g.frames = more.AppendTo(g.frames)
		batch, rest = NextBatch(rest)
	}
	last := w3gs.IncomingAction{IncrementMillis: uint16(g.period / time.Millisecond), Actions: batch}
	g.frames = last.AppendTo(g.frames)

	g.remember(last.IncrementMillis, actions)
	g.broadcastBehind(g.live, at)
	if n := g.empties(); n > 0 {
		g.emit(&Empty{Count: n})
	}
	g.turns = append(g.turns, Turn{
		Number: g.sent, Increment: last.IncrementMillis, Actions: actions, Late: late,
	})
	g.emit(&g.turns[len(g.turns)-1])
}

// remember keeps the turn until its hashes have come.
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
	g.sent++
	g.gameTime += g.period
	g.history.push(increment, g.t, g.gameTime, actions)
}

// NextBatch cuts the actions of a turn where the packets do: all but the last
// batch go out as 0x48, the last one in the 0x0C. It returns the first batch
// and what is left.
func NextBatch(actions []byte) (batch, rest []byte) {
	n := 0
	for n < len(actions) {
		size := w3gs.ActionPrefix + int(actions[n+1]) + int(actions[n+2])<<8
		if n+size > w3gs.MaxBatchLen {
			break
		}
		n += size
	}
	return actions[:n], actions[n:]
}

// change puts a new period and a new sync limit in force.
func (g *Game) change() {
	g.syncLimit = g.nextLimit
	if g.period != g.nextPeriod {
		g.period = g.nextPeriod
		g.emit(&PeriodChanged{Period: g.period, Turn: g.sent + 1, Adaptive: g.byRTT})
	}
}
