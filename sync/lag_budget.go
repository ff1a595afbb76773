package gamesync

import "time"

// A player has DropAfter in all to spend on lag screens, and the wait for reconnections apart from it. What is spent comes
// back slowly, so that a player who lags again and again is dropped like one who lags for long.
const (
	lagRefill  = 12 * time.Minute // in which all of DropAfter comes back
	awayRefill = 10 * time.Minute // in which all of the wait for reconnections comes back
)

// lagLeft returns how long a player may still lag.
func (l *Loop) lagLeft(p *player) time.Duration {
	return portion(p.lagged.Left(l.t, lagRefill), l.cfg.DropAfter, lagRefill)
}

// awayLeft returns how long the lag screen may still wait for a player's connection.
func (l *Loop) awayLeft(p *player) time.Duration {
	return portion(p.away.Left(l.t, awayRefill), p.lag.wait, awayRefill)
}

// portion converts a part of a whole into the same part of another.
func portion(part, of, whole time.Duration) time.Duration {
	return time.Duration(max(part, 0).Milliseconds()*of.Milliseconds()/max(whole.Milliseconds(), 1)) * time.Millisecond
}

// charge spends the time since the last charge that a player was on the lag screen.
func (l *Loop) charge(p *player) {
	spent := l.t - p.lag.charged
	p.lag.charged = l.t
	switch {
	case l.absent.Has(p.PID):
		if p.lag.wait > 0 {
			p.away.Use(l.t, portion(spent, awayRefill, p.lag.wait))
		}
	case l.cfg.DropAfter > 0:
		p.lagged.Use(l.t, portion(spent, lagRefill, l.cfg.DropAfter))
	}
}

// loadBy returns when players who still load are dropped; false: never.
func (l *Loop) loadBy() (at time.Duration, ok bool) {
	if l.cfg.LoadTimeout > 0 {
		at, ok = l.cfg.Countdown+l.cfg.LoadTimeout, true
	}
	if ready := l.ready().Len(); l.cfg.LoadBehind > 0 && ready > 0 && 2*ready >= l.live.Len() {
		behind := l.loadedAt + l.cfg.LoadBehind
		if !ok || behind < at {
			at, ok = behind, true
		}
	}
	return at, ok
}
