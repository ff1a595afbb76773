package gamesync

import "time"

// A player may spend DropAfter in total on lag screens, plus a separate budget for waiting to reconnect. Both
// are refilled slowly, so that a player who lags repeatedly is dropped like one who lags for long.
const (
	lagRefill  = 12 * time.Minute // time in which a used up DropAfter is refilled
	awayRefill = 10 * time.Minute // time in which the budget for reconnecting is refilled
)

// lagLeft returns how long a player may still lag.
func (l *Loop) lagLeft(p *player) time.Duration {
	return portion(p.lagged.Left(l.t, lagRefill), l.cfg.DropAfter, lagRefill)
}

// awayLeft returns how long the lag screen may still wait for a player to reconnect.
func (l *Loop) awayLeft(p *player) time.Duration {
	return portion(p.away.Left(l.t, awayRefill), p.lag.wait, awayRefill)
}

// portion returns of × part ÷ whole, in whole milliseconds; a negative part counts as 0.
func portion(part, of, whole time.Duration) time.Duration {
	return time.Duration(max(part, 0).Milliseconds()*of.Milliseconds()/max(whole.Milliseconds(), 1)) * time.Millisecond
}

// charge spends the player's time on the lag screen since the last charge.
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

// loadBy returns when players who are still loading are dropped; ok is false if never.
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
