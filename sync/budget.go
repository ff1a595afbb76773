package gamesync

import (
	"time"

	"w3host/w3gs"
)

// What one player may bring into turns. A player of a busy game sends a few
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

// affordable takes the actions of the next turn from those that wait, in order
// of arrival. What a player has sent beyond their budget waits for later turns, and
// delays nobody else; what one who has gone cannot afford is dropped.
func (g *Game) affordable() []byte {
	within := true
	for _, p := range g.byPID {
		if p == nil {
			continue
		}
		earned := int(time.Duration(g.cfg.ActionRate) * g.period / time.Second)
		p.budget = min(p.budget+earned, g.cfg.ActionBurst)
		within = within && (p.queued == 0 || p.queued <= p.budget)
	}
	if within {
		for _, p := range g.byPID {
			if p != nil {
				p.budget -= p.queued
				p.queued = 0
			}
		}
		now := g.pending
		g.pending = g.pending[:0] // the bytes stay in place: the Turn of this call points at them
		return now
	}
	g.chosen, g.waiting = g.chosen[:0], g.waiting[:0]
	for pid, data := range w3gs.Actions(g.pending) {
		p, size := g.byPID[pid], w3gs.ActionPrefix+len(data)
		switch {
		case p.budget > 0: // it may go into debt for the rest of one action
			p.budget -= size
			p.queued -= size
			g.chosen = w3gs.AppendAction(g.chosen, pid, data)
		case (g.live | g.fakes).Has(pid):
			g.waiting = w3gs.AppendAction(g.waiting, pid, data)
		default:
			p.queued -= size
		}
	}
	g.pending, g.waiting = g.waiting, g.pending
	return g.chosen
}
