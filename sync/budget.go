package gamesync

import (
	"time"

	"w3host/w3gs"
)

// How many bytes of actions one player may send. A player of a busy game sends a few
// hundred bytes a second; a map that syncs its data some kilobytes in a moment.
const (
	// defaultActionRate is in bytes a second, prefixes included. Eleven players
	// who use it up fill a line of 180 kB/s; a single one goes unnoticed.
	defaultActionRate = 16 << 10
	// defaultActionBurst is what may come at once after a quiet time, in bytes.
	defaultActionBurst = 64 << 10
)

// waitingBursts is how many bursts of one player's actions may wait for later
// turns; with more they are dropped.
const waitingBursts = 4

// affordable takes the actions of the next turn from those that wait, in order of
// arrival. Actions beyond a player's budget wait for later turns and delay nobody
// else; if the player has left they are dropped.
func (g *Game) affordable() []byte {
	var beyond w3gs.PIDs
	for pid, p := range g.byPID {
		if p == nil {
			continue
		}
		earned := int(time.Duration(g.cfg.ActionRate) * g.period / time.Second)
		p.budget = min(p.budget+earned, g.cfg.ActionBurst)
		if p.queued > max(p.budget, 0) {
			beyond |= w3gs.Only(uint8(pid))
		} else {
			p.budget, p.queued = p.budget-p.queued, 0
		}
	}
	from, waiting := len(g.frames), g.pending[:0]
	if beyond == 0 {
		g.frames = append(g.frames, g.pending...)
	} else {
		for pid, data := range w3gs.Actions(g.pending) {
			p, size := g.byPID[pid], w3gs.ActionPrefix+len(data)
			switch {
			case !beyond.Has(pid):
				g.frames = w3gs.AppendAction(g.frames, pid, data)
			case p.budget > 0: // it may go into debt for the rest of one action
				p.budget, p.queued = p.budget-size, p.queued-size
				g.frames = w3gs.AppendAction(g.frames, pid, data)
			case (g.live | g.fakes).Has(pid):
				waiting = w3gs.AppendAction(waiting, pid, data) // over what has been read
			default:
				p.queued -= size
			}
		}
	}
	g.pending = waiting
	return g.frames[from:len(g.frames):len(g.frames)]
}
