package gamesync

import (
	"time"

	"w3host/texts"
)

// Align schedules turns at beat modulo the period, so that a host can spread the turns of many games. The
// first turn then comes one to two periods after loading. Call it before all players have loaded.
func (l *Loop) Align(now, beat time.Duration) {
	if l.enter(now) {
		l.pace.align, l.pace.beat = true, beat
		l.settle()
	}
}

// SetPeriod changes the time between turns, limited to w3gs.MinPeriod to w3gs.MaxPeriod, after the current
// turn. It turns the adaptive period off.
func (l *Loop) SetPeriod(now, period time.Duration) {
	if l.enter(now) {
		l.cfg.Adaptive.On = false
		l.pace.next, l.pace.byRTT = clampPeriod(period), false
		l.settle()
	}
}

// SetSyncLimit changes how many turns of 100 ms a player may be behind, from 1 to w3gs.MaxSyncLimit, from the
// next turn on.
func (l *Loop) SetSyncLimit(now time.Duration, turns int) {
	if l.enter(now) {
		l.pace.nextLimit = turns
		l.settle()
	}
}

// DropLaggers drops all players on the lag screen, as requested by an operator.
func (l *Loop) DropLaggers(now time.Duration) {
	if l.enter(now) {
		if l.screenIsUp() {
			l.dropAll(l.Laggers(), WhyDroppedByHost)
		}
		l.settle()
	}
}

// End stops the game immediately. If why is not empty, it is sent to the players as a chat line, except to
// those who are loading; see Sink.Drop.
func (l *Loop) End(now time.Duration, why texts.Text) {
	if l.enter(now) {
		if to := l.inside(); to != 0 && !why.Empty() {
			l.sink.Say(to, why)
		}
		l.finish(EndEnded)
	}
}
