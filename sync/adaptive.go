package gamesync

import (
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// Limits on how often the adaptive period changes.
const (
	adaptEvery   = 10 * time.Second      // between two changes
	adaptReverse = time.Minute           // before a change in the opposite direction
	adaptStep    = 10 * time.Millisecond // periods are whole steps
	adaptBand    = 20 * time.Millisecond // a smaller difference is left alone, and so is under a quarter
)

// adaptive is the state of the adaptive period.
type adaptive struct {
	measured bool          // a round trip has come in since the last look
	at       time.Duration // of the last change
	by       time.Duration // the last change; below 0: the period became shorter
}

// adapt moves the period towards the round trip of the median player: one slow player,
// or one who answers pings late on purpose, must not slow down all.
func (l *Loop) adapt() {
	if !l.cfg.Adaptive.On || !l.adaptive.measured || l.t-l.adaptive.at < adaptEvery {
		return
	}
	l.adaptive.measured = false
	rtt, ok := l.medianRTT()
	if !ok {
		return
	}
	want := min(max(rtt.Round(adaptStep), l.cfg.Adaptive.Min), l.cfg.Adaptive.Max)
	by := want - l.pace.period
	if by.Abs() < max(adaptBand, l.pace.period/4) {
		return
	}
	if turned := by > 0 != (l.adaptive.by > 0); turned && l.adaptive.by != 0 && l.t-l.adaptive.at < adaptReverse {
		return
	}
	l.pace.next, l.pace.byRTT = want, true
	l.adaptive.at, l.adaptive.by = l.t, by
}

// medianRTT returns the median round trip of the players without observers, the higher one of an even number.
func (l *Loop) medianRTT() (time.Duration, bool) {
	var room [w3gs.MaxPID]time.Duration
	all := room[:0]
	for pid := range l.live.All() {
		if p := l.byPID[pid]; p.ping.known && !p.Observer {
			all = append(all, p.ping.smooth)
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	slices.Sort(all)
	return all[len(all)/2], true
}
