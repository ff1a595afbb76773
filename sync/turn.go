package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
)

// pace is how turns follow each other.
type pace struct {
	period    time.Duration // in force
	next      time.Duration // the period from the next turn boundary on
	byRTT     bool          // next was chosen by adapt
	limit     int           // turns of the period that a player may be behind, in force
	nextLimit int           // the same from the next turn boundary on, in turns of LimitTurn
	due       time.Duration // when the next turn is due
	align     bool          // turns fall on beat modulo the period
	beat      time.Duration
}

// Action takes the data of a player's 0x26, or an action of the host for a fake
// player. It goes out with the next turn, or the first that the player's budget
// allows, after all that came before it. While others still load it waits for the
// first turn. It allocates nothing.
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
	if !fake { // else the host asks too often
		l.drop(p, why)
	}
}

// queue has an action wait for the next turn.
func (l *Loop) queue(p *player, data []byte) {
	p.queued += actionSize(data)
	l.pending = w3gs.AppendAction(l.pending, p.PID, data)
}

func actionSize(data []byte) int { return w3gs.ActionPrefix + len(data) }

// boundary is the moment when a turn is due: it is sent, or the lag screen comes up.
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
	l.placeHeld()
	l.turn()
	l.placeHeld()
	l.adapt()
	l.change()
	l.pace.due += l.pace.period
}

// turn sends the waiting actions as one frame: 0x48 packets for what does not fit, then
// the 0x0C with the increment.
func (l *Loop) turn() {
	late := l.t - l.pace.due + l.suspendedTurn
	l.suspendedTurn = 0
	l.late(late)
	l.release()
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

// remember keeps the turn until its hashes have come.
func (l *Loop) remember(increment uint16, actions []byte) {
	if l.hashes.history.full() {
		open := l.hashes.settled
		for pid := range l.live.All() {
			open = min(open, l.byPID[pid].acked)
		}
		if open >= reportTurns {
			l.hashes.history.forget(open + 1 - reportTurns)
		}
	}
	l.sent++
	l.gameTime += l.pace.period
	l.hashes.history.push(increment, l.t, l.gameTime, actions)
}

// NextBatch cuts the actions of a turn where the packets do: all but the last
// batch go out as 0x48, the last one in the 0x0C. It returns the first batch
// and the rest.
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

// LimitTurn is the length of the turns in which Config.SyncLimit is given. The limit is a time: shorter turns
// do not make a player lag sooner.
const LimitTurn = 100 * time.Millisecond

// scaleLimit has the limit in force take as long as that which was given.
func (l *Loop) scaleLimit() {
	turns := (time.Duration(l.pace.nextLimit)*LimitTurn + l.pace.period - 1) / l.pace.period
	l.pace.limit = max(min(int(turns), w3gs.MaxSyncLimit), 1)
}

// change puts a new period and a new sync limit in force.
func (l *Loop) change() {
	defer l.scaleLimit()
	if l.pace.period != l.pace.next {
		l.pace.period = l.pace.next
		l.sink.Fact(&PeriodChanged{Period: l.pace.period, Turn: l.sent + 1, Adaptive: l.pace.byRTT})
	}
}
