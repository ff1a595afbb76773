package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
)

// How many bytes of actions one player may send. A player of a busy game sends a few
// hundred bytes a second; a map that syncs its data some kilobytes in a moment.
const (
	// defaultActionRate is in bytes a second, prefixes included. Eleven players
	// who use it up fill a line of 180 kB/s; a single one goes unnoticed.
	defaultActionRate = 16 << 10
	// defaultActionBurst is how many bytes may come at once after a quiet time.
	defaultActionBurst = 64 << 10
)

// waitingBursts is how many bursts of one player's actions may wait for later
// turns; with more they are dropped.
const waitingBursts = 4

// cost returns the game time in which so many bytes of a player's budget come back.
func (l *Loop) cost(bytes int) time.Duration {
	return time.Duration(bytes) * time.Second / time.Duration(l.cfg.ActionRate)
}

// affordable takes the actions of the next turn from those that wait, in order of
// arrival. Actions beyond a player's budget wait for later turns and delay nobody
// else; if the player has left they are dropped.
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
			case p.budget.Left(l.gameTime, l.cost(l.cfg.ActionBurst)) > 0: // the last action may go beyond it
				p.budget.Use(l.gameTime, l.cost(size))
				p.queued -= size
				l.out.frames = w3gs.AppendAction(l.out.frames, pid, data)
			case (l.live | l.fakes).Has(pid):
				waiting = w3gs.AppendAction(waiting, pid, data) // over bytes that have been read
			default:
				p.queued -= size
			}
		}
	}
	l.pending = waiting
	return l.out.frames[from:len(l.out.frames):len(l.out.frames)]
}
