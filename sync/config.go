package gamesync

import (
	"fmt"
	"time"
)

// Bounds of what can be set.
const (
	MinPeriod = 20 * time.Millisecond
	MaxPeriod = 500 * time.Millisecond

	// MaxSyncLimit bounds the hashes kept for a player who is behind.
	MaxSyncLimit = 10_000

	// maxLagReset stays under the ~65 s after which a client that sees no turn
	// gives up.
	maxLagReset = 60 * time.Second
)

// Player is one pid of the game as the lobby hands it over. Computers have no
// pid and are not listed.
type Player struct {
	PID      uint8
	Name     string
	Team     uint8
	Observer bool // watches; see Config.cfg.ObserversNeverStop
	Fake     bool // holds a slot, has no client: never waited for
}

// Config is how a game is run. Begin with Defaults: a zero number or duration
// means the default, a value out of range is brought to the nearest bound.
type Config struct {
	Players []Player

	Period    time.Duration // between two turns, 20 to 500 ms, whole ms
	SyncLimit int           // a player more turns behind than this stops the game
	CatchUp   int           // turns a late Tick makes up for at once; beyond it the host was asleep

	DropAfter   time.Duration // a lagger is dropped after this; negative: never
	LagReset    time.Duration // the lag screen is put up anew this often, at most 60 s
	LoadTimeout time.Duration // who has not loaded by then is dropped; negative: never
	LastPlayer  time.Duration // the game ends this long after all but one have left; negative: never

	// Align puts turns on Beat modulo the period, so that a host can spread the
	// turns of many games; the first then comes one to two periods after loading.
	Align bool
	Beat  time.Duration

	ActionRate  int // bytes of actions a second that one player may bring into turns
	ActionBurst int // the same at once, after a quiet time

	LoadInGame         bool // who has loaded enters and waits on the lag screen
	ObserversNeverStop bool // an observer who lags is not waited for

	Adaptive Adaptive
}

// Adaptive lets the period follow the players' round trip. It is off by
// default, and SetPeriod turns it off.
type Adaptive struct {
	On       bool
	Min, Max time.Duration // bounds of the period; zero: 50 and 250 ms
}

// Defaults is the configuration of a game on a LAN, without players.
func Defaults() Config {
	return Config{ObserversNeverStop: true}.normal()
}

// normal fills what is zero and brings the rest within bounds.
func (c Config) normal() Config {
	c.Period = clampPeriod(orDuration(c.Period, 100*time.Millisecond))
	if c.SyncLimit == 0 {
		c.SyncLimit = 50
	}
	c.SyncLimit = min(max(c.SyncLimit, 1), MaxSyncLimit)
	if c.CatchUp <= 0 {
		c.CatchUp = 10
	}
	if c.ActionRate <= 0 {
		c.ActionRate = DefaultActionRate
	}
	if c.ActionBurst <= 0 {
		c.ActionBurst = DefaultActionBurst
	}
	c.DropAfter = orDuration(c.DropAfter, time.Minute)
	c.LagReset = orDuration(c.LagReset, maxLagReset)
	c.LagReset = min(max(c.LagReset, time.Second), maxLagReset)
	c.LoadTimeout = orDuration(c.LoadTimeout, 5*time.Minute)
	c.LastPlayer = orDuration(c.LastPlayer, time.Minute)
	c.Adaptive.Min = clampPeriod(orDuration(c.Adaptive.Min, 50*time.Millisecond))
	c.Adaptive.Max = clampPeriod(orDuration(c.Adaptive.Max, 250*time.Millisecond))
	c.Adaptive.Max = max(c.Adaptive.Max, c.Adaptive.Min)
	if c.Adaptive.On {
		c.Period = min(max(c.Period, c.Adaptive.Min), c.Adaptive.Max)
	}
	return c
}

// check panics on a player table that no lobby can produce.
func (c *Config) check() {
	var seen PIDs
	for _, p := range c.Players {
		if p.PID == 0 || p.PID > MaxPID || seen.Has(p.PID) {
			panic(fmt.Sprintf("gamesync: pid %d of %q is out of range or taken", p.PID, p.Name))
		}
		seen |= Only(p.PID)
	}
}

// clampPeriod also rounds to whole milliseconds, because that is what the
// increment field can say.
func clampPeriod(d time.Duration) time.Duration {
	return min(max(d.Round(time.Millisecond), MinPeriod), MaxPeriod)
}

func orDuration(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}
