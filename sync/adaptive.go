package gamesync

import (
	"slices"
	"time"

	"w3host/w3gs"
)

// Limits on how often the adaptive period changes.
const (
	adaptEvery   = 10 * time.Second      // between two changes
	adaptReverse = time.Minute           // before a change in the opposite direction
	adaptStep    = 10 * time.Millisecond // periods are whole steps
	adaptBand    = 20 * time.Millisecond // a smaller difference is left alone, and so is under a quarter
)

// adapt moves the period towards the round trip of the median player. The
// median, because one slow player, or one who answers pings late on purpose,
// must not slow down all.
func (g *Game) adapt() {
	if !g.cfg.Adaptive.On || !g.measured || g.t-g.adaptedAt < adaptEvery {
		return
	}
	g.measured = false
	rtt, ok := g.medianRTT()
	if !ok {
		return
	}
	want := min(max(rtt.Round(adaptStep), g.cfg.Adaptive.Min), g.cfg.Adaptive.Max)
	by := want - g.period
	if by.Abs() < max(adaptBand, g.period/4) {
		return
	}
	if turned := by > 0 != (g.adaptedBy > 0); turned && g.adaptedBy != 0 && g.t-g.adaptedAt < adaptReverse {
		return
	}
	g.nextPeriod, g.byRTT = want, true
	g.adaptedAt, g.adaptedBy = g.t, by
}

// medianRTT is the median of the players, the higher one of an even number.
func (g *Game) medianRTT() (time.Duration, bool) {
	var room [w3gs.MaxPID]time.Duration
	all := room[:0]
	for pid := range g.live.All() {
		if p := g.byPID[pid]; p.pinged && !p.Observer {
			all = append(all, p.smoothRTT)
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	slices.Sort(all)
	return all[len(all)/2], true
}
