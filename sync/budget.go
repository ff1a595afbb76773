package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
)

// Limits for the bytes of actions that one player may send. A player of a busy game sends a few hundred bytes
// a second; a map that synchronises data sends some kilobytes at once.
const (
	// defaultActionRate is in bytes per second, including prefixes. Eleven players who use it up need 180
	// kB/s on each connection; a single one goes unnoticed.
	defaultActionRate = 16 << 10
	// defaultActionBurst is the number of bytes that may be sent at once after a quiet period.
	defaultActionBurst = 64 << 10
)

// waitingBursts is how many bursts of a player's actions may wait for later turns. A player who exceeds it is
// dropped.
const waitingBursts = 4

// cost returns the game time in which the given bytes of a player's budget are refilled.
func (l *Loop) cost(bytes int) time.Duration {
	return time.Duration(bytes) * time.Second / time.Duration(l.cfg.ActionRate)
}

// affordable removes the actions of the next turn from the pending ones, in order of arrival, and returns
// them encoded. Actions beyond a player's budget wait for later turns without delaying others; if the player
// has left, they are discarded.
func (l *Loop) affordable() []byte {
	var beyond w3gs.PIDs
	for pid, p := range l.byPID {
		if p == nil || p.queued == 0 {
			continue
		}
		if p.budget.Take(l.gameTime, l.cost(p.queued), l.cost(l.cfg.ActionBurst)) > 0 {
			beyond |= w3gs.Only(uint8(pid))
		} else {
			p.queued = 0
		}
	}
	from, waiting := len(l.out.frames), l.pending[:0]
	if beyond == 0 {
		l.out.frames = append(l.out.frames, l.pending...)
	} else {
		for pid, data := range w3gs.Actions(l.pending) {
			p, size := l.byPID[pid], w3gs.ActionPrefix+len(data)
			switch {
			case !beyond.Has(pid):
				l.out.frames = w3gs.AppendAction(l.out.frames, pid, data)
			case p.budget.Left(l.gameTime, l.cost(l.cfg.ActionBurst)) > 0: // the last action may exceed the budget
				p.budget.Use(l.gameTime, l.cost(size))
				p.queued -= size
				l.out.frames = w3gs.AppendAction(l.out.frames, pid, data)
			case (l.live | l.fakes).Has(pid):
				waiting = w3gs.AppendAction(waiting, pid, data) // overwrites bytes that have been read already
			default:
				p.queued -= size
			}
		}
	}
	l.pending = waiting
	return l.out.frames[from:len(l.out.frames):len(l.out.frames)]
}
