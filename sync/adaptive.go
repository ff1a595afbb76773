package gamesync

import (
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// Limits for changes of the adaptive period.
const (
	adaptEvery   = 10 * time.Second      // minimum time between two changes
	adaptReverse = time.Minute           // minimum time before a change in the opposite direction
	adaptStep    = 10 * time.Millisecond // periods are multiples of this
	adaptBand    = 20 * time.Millisecond // smaller differences, and those below a quarter of the period, are ignored
)

// adaptive is the state of the adaptive period.
type adaptive struct {
	measured bool          // a round trip was measured since the last check
	at       time.Duration // time of the last change
	by       time.Duration // size of the last change; negative if the period was shortened
}

// adapt moves the period towards the median player's round trip. The median keeps a single slow player, or
// one who delays pings on purpose, from slowing down everyone.
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

// medianRTT returns the median round trip of all players except observers. For an even number it is the
// higher of the two.
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
