package bots

import (
	"time"

	"w3host/protocol/w3gs"
)

// onStartLag handles a packet 0x10: the game waits for these players.
func (p *player) onStartLag(now time.Duration, q *w3gs.StartLag) {
	p.needLag(q.Op())
	p.need(len(q.Laggers) > 0, q.Op(), "names nobody")
	if p.screenSeen == 0 {
		p.screenSeen = now
		p.report.LagScreens++
		if after := p.g.run.opts.VoteAfter; after > 0 {
			p.set(alarmVote, now+after)
		}
	}
	for _, l := range q.Laggers {
		p.need(l.PID == p.pid || p.known.has(l.PID), q.Op(), "player %d is not in the game", l.PID)
		p.need(!p.laggers.has(l.PID), q.Op(), "player %d is on the screen already", l.PID)
		p.laggers.add(l.PID)
		p.note(now, Event{Packet: q.Op(), PID: l.PID, Value: l.LagMillis})
	}
}

// onStopLag handles a packet 0x11: a player has caught up, or is taken off the screen for a moment.
func (p *player) onStopLag(now time.Duration, q *w3gs.StopLag) {
	p.needLag(q.Op())
	p.note(now, Event{Packet: q.Op(), PID: q.PID, Value: q.LagMillis})
	if !p.need(p.laggers.has(q.PID), q.Op(), "player %d is not on the screen", q.PID) {
		return
	}
	p.laggers.remove(q.PID)
	if p.laggers.empty() {
		p.screenDown(now)
	}
}

// needLag checks that a lag screen may come: in the game, or while others load if the bot has loaded.
func (p *player) needLag(op w3gs.Op) {
	p.need(p.phase == playing || p.phase == loading && p.isLoaded, op, "to a client that is not in the game")
}

// screenDown handles the end of a lag screen. The interval across it and the delay of actions sent before it are not
// measured.
func (p *player) screenDown(now time.Duration) {
	p.report.StoodStill += now - p.screenSeen
	p.screenGone = now
	p.screenSeen, p.lastTurn = 0, 0
	p.alarms[alarmVote] = 0
}
