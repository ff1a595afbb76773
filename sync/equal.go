package gamesync

import (
	"slices"
	"time"
)

// mostHeld is how many turns an action waits at most with Config.Equalise, whatever the
// slowest line is: nobody can slow the others down by more.
const mostHeld = 2

// SetEqualise has actions wait for the slowest player's line, or not any more. Actions
// that wait already keep their time.
func (l *Loop) SetEqualise(now time.Duration, on bool) {
	if l.enter(now) {
		l.cfg.Equalise = on
		l.settle()
	}
}

// early is an action that came over a faster line than that of the slowest player. It goes
// out when it would have come over that.
type early struct {
	at   time.Duration
	pid  uint8
	data []byte
}

// advantage is by how much a player's line is faster than that of the slowest player.
func (l *Loop) advantage(p *player) time.Duration {
	if !l.cfg.Equalise || p.Fake || !p.ping.known {
		return 0
	}
	var slowest time.Duration
	for pid := range (l.live &^ l.absent).All() {
		if o := l.byPID[pid]; o.ping.known && !o.Observer {
			slowest = max(slowest, o.ping.smooth)
		}
	}
	return min(max(slowest-p.ping.smooth, 0), mostHeld*l.pace.period)
}

// hold keeps an action back. A player's actions stay in their order.
func (l *Loop) hold(p *player, data []byte, until time.Duration) {
	p.earlyUntil = max(p.earlyUntil, until)
	i, _ := slices.BinarySearchFunc(l.early, p.earlyUntil, func(e early, at time.Duration) int {
		if e.at <= at {
			return -1
		}
		return 1
	})
	l.early = slices.Insert(l.early, i, early{p.earlyUntil, p.PID, slices.Clone(data)})
}

// release passes on actions that have waited long enough.
func (l *Loop) release() {
	n := 0
	for ; n < len(l.early) && l.early[n].at <= l.t; n++ {
		e := &l.early[n]
		p := l.byPID[e.pid]
		p.early -= actionSize(e.data)
		l.queue(p, e.data)
	}
	l.early = slices.Delete(l.early, 0, n)
}
