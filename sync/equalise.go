package gamesync

import (
	"slices"
	"time"
)

// mostHeld is the maximum number of turns for which Config.Equalise delays an action, so that no connection
// can slow down the others further.
const mostHeld = 2

// SetEqualise turns Config.Equalise on or off. Actions that are already delayed keep their time.
func (l *Loop) SetEqualise(now time.Duration, on bool) {
	if l.enter(now) {
		l.cfg.Equalise = on
		l.settle()
	}
}

// early is an action that arrived over a faster connection than the slowest player's. It is sent at the time
// at which it would have arrived over that connection.
type early struct {
	at   time.Duration
	pid  uint8
	data []byte
}

// advantage returns by how much a player's connection is faster than the slowest player's.
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

// hold delays an action until the given time, keeping a player's actions in order.
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

// releaseEarly queues the delayed actions whose time has come.
func (l *Loop) releaseEarly() {
	n := 0
	for ; n < len(l.early) && l.early[n].at <= l.t; n++ {
		e := &l.early[n]
		p := l.byPID[e.pid]
		p.early -= actionSize(e.data)
		l.queue(p, e.data)
	}
	l.early = slices.Delete(l.early, 0, n)
}
