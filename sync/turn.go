package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
)

// pace holds the timing of turns.
type pace struct {
	period    time.Duration // current period
	next      time.Duration // period from the next turn on
	byRTT     bool          // next was chosen by adapt
	limit     int           // current lag limit in turns of the current period
	nextLimit int           // lag limit from the next turn on, in turns of LimitTurn
	due       time.Duration // when the next turn is due
	align     bool          // turns are scheduled at beat modulo the period
	beat      time.Duration
}

// Action queues the data of a player's 0x26, or an action of the host for a fake player. It is sent with the
// next turn that the player's budget allows, in order of arrival. While others are still loading, it waits
// for the first turn. It does not allocate.
func (l *Loop) Action(now time.Duration, pid uint8, data []byte) {
	if !l.enter(now) {
		return
	}
	live := l.live
	if l.action(pid, data); l.live != live {
		l.settle()
	}
}

func (l *Loop) action(pid uint8, data []byte) {
	fake := l.fakes.Has(pid)
	if !fake && !l.live.Has(pid) {
		return
	}
	p := l.byPID[pid]
	why := WhyLeft
	switch {
	case !fake && !l.loaded.Has(pid):
		why = WhyActionWhileLoading
	case len(data) > w3gs.MaxActionLen:
		why = WhyActionTooLong
	case p.queued+p.early+actionSize(data) > waitingBursts*l.cfg.ActionBurst:
		why = WhyActionFlood
	default:
		if wait := l.advantage(p); wait > 0 || p.early > 0 {
			p.early += actionSize(data)
			l.hold(p, data, l.t+wait)
		} else {
			l.queue(p, data)
		}
		return
	}
	if !fake { // actions of fake players come from the host and are just discarded
		l.drop(p, why)
	}
}

// queue adds an action to the next turn.
func (l *Loop) queue(p *player, data []byte) {
	p.queued += actionSize(data)
	l.pending = w3gs.AppendAction(l.pending, p.PID, data)
}

func actionSize(data []byte) int { return w3gs.ActionPrefix + len(data) }

// boundary sends the turn that is due, or shows the lag screen instead.
func (l *Loop) boundary() {
	if l.watchSockets(); l.phase != running {
		return
	}
	if l.watchObservers(); l.phase != running {
		return
	}
	if laggers := l.overdue(); laggers != 0 {
		l.screenUp(laggers)
		return
	}
	l.sendPendingLeaves()
	l.turn()
	l.sendPendingLeaves()
	l.adapt()
	l.applySettings()
	l.pace.due += l.pace.period
}

// turn sends the pending actions in one write: 0x48 packets for those that do not fit, then the 0x0C with the
// increment.
func (l *Loop) turn() {
	late := l.t - l.pace.due + l.suspendedTurn
	l.suspendedTurn = 0
	l.late(late)
	l.releaseEarly()
	actions := l.affordable()
	at := l.appendEmpties()
	batch, rest := NextBatch(actions)
	for len(rest) > 0 {
		more := w3gs.IncomingAction2{Actions: batch}
		l.out.frames = more.AppendTo(l.out.frames)
		batch, rest = NextBatch(rest)
	}
	last := w3gs.IncomingAction{IncrementMillis: uint16(l.pace.period / time.Millisecond), Actions: batch}
	l.out.frames = last.AppendTo(l.out.frames)

	l.remember(last.IncrementMillis, actions)
	l.broadcastBehind(l.live, at)
	if n := l.empties(); n > 0 {
		l.sink.Fact(&Empty{Count: n})
	}
	l.out.turns = append(l.out.turns, Turn{
		Number: l.sent, Increment: last.IncrementMillis, Actions: actions, Late: late,
	})
	l.sink.Fact(&l.out.turns[len(l.out.turns)-1])
}

// remember stores the turn until its hashes have arrived.
func (l *Loop) remember(increment uint16, actions []byte) {
	if l.hashes.ring.full() {
		open := l.hashes.settled
		for pid := range l.live.All() {
			open = min(open, l.byPID[pid].acked)
		}
		if open >= reportTurns {
			l.hashes.ring.forget(open + 1 - reportTurns)
		}
	}
	l.sent++
	l.gameTime += l.pace.period
	l.hashes.ring.push(increment, l.t, l.gameTime, actions)
}

// NextBatch splits the actions of a turn like the packets do: all but the last batch are sent as 0x48, the
// last one in the 0x0C. It returns the first batch and the rest; both alias actions.
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

// LimitTurn is the unit of Config.SyncLimit. The limit is therefore a time, whatever the actual length of turns.
const LimitTurn = 100 * time.Millisecond

// scaleLimit converts the lag limit to turns of the current period.
func (l *Loop) scaleLimit() {
	turns := (time.Duration(l.pace.nextLimit)*LimitTurn + l.pace.period - 1) / l.pace.period
	l.pace.limit = max(min(int(turns), w3gs.MaxSyncLimit), 1)
}

// applySettings applies a new period and a new lag limit.
func (l *Loop) applySettings() {
	defer l.scaleLimit()
	if l.pace.period != l.pace.next {
		l.pace.period = l.pace.next
		l.sink.Fact(&PeriodChanged{Period: l.pace.period, Turn: l.sent + 1, Adaptive: l.pace.byRTT})
	}
}
