package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
)

// lagReset stays under the ~65 s after which a client that sees no turn gives up, and
// under the 60 s after which a proxy feeds its client an empty action or, if there is
// none left, tells the player that the time to come back has run out.
const lagReset = 55 * time.Second

// Player is one pid of the game as the lobby hands it over. Computers have no
// pid and are not listed.
type Player struct {
	PID      uint8
	Name     string
	Team     uint8
	Slot     uint8 // from 0
	Observer bool  // watches; see Config.ObserversNeverStop
	Fake     bool  // holds a slot, has no client: never waited for; the host may act for it
	Mute     bool  // fake, and the host never acts for it
	Proxied  bool  // a proxy puts empty actions before each 0x0C; see Config.Empties
}

// Config is how a game is run. Begin with Defaults: New takes every field as it
// stands.
type Config struct {
	Players []Player

	Period    time.Duration // between two turns, 20 to 500 ms, whole ms
	SyncLimit int           // a player more turns of 100 ms behind than this stops the game, or as much time in turns of another length
	CatchUp   int           // turns a late Tick makes up for at once; beyond it the host was suspended

	Countdown time.Duration // between 0x0A, with which the loop begins, and 0x0B

	DropAfter   time.Duration // a player is dropped after so long on lag screens, of which a twelfth comes back a minute; 0: never
	LagReset    time.Duration // the lag screen is put up anew this often, less than 60 s
	LoadTimeout time.Duration // players who have not loaded by then are dropped; 0: never
	LoadBehind  time.Duration // so are those who have not loaded so long after the last of the others, at least half; 0: never
	LastPlayer  time.Duration // the game ends this long after all but LastPlayers have left; 0: never
	LastPlayers int           // at least 1

	ActionRate  int // bytes of actions a second that one player may bring into turns
	ActionBurst int // the same at once, after a quiet time

	// Empties is how many empty actions precede every 0x0C while there is a
	// player with a proxy, at most 9.
	Empties int

	LoadInGame         bool // players who have loaded enter and wait on the lag screen
	ObserversNeverStop bool // an observer who lags is not waited for

	// Equalise holds the actions of players with fast lines back for as long as the slowest
	// line takes more, but at most two turns: nobody acts sooner for having a faster line.
	Equalise bool

	// ShareUnits has the units of fake players, and of players who leave, shared with their allies.
	ShareUnits bool

	Adaptive Adaptive
}

// Adaptive lets the period follow the players' round trip. It is off by
// default, and SetPeriod turns it off.
type Adaptive struct {
	On       bool
	Min, Max time.Duration // bounds of the period
}

// Defaults is the configuration of a game on a LAN, without players.
func Defaults() Config {
	return Config{
		Period: 100 * time.Millisecond, SyncLimit: 50, CatchUp: 10,
		DropAfter: time.Minute, LagReset: lagReset, LoadTimeout: 5 * time.Minute, LastPlayer: time.Minute, LastPlayers: 1,
		ActionRate: defaultActionRate, ActionBurst: defaultActionBurst,
		ObserversNeverStop: true,
		Adaptive:           Adaptive{Min: 50 * time.Millisecond, Max: 250 * time.Millisecond},
	}
}

// clampPeriod rounds to whole milliseconds, because that is what the increment
// field can say.
func clampPeriod(d time.Duration) time.Duration {
	return min(max(d.Round(time.Millisecond), w3gs.MinPeriod), w3gs.MaxPeriod)
}
