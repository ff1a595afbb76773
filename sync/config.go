package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
)

// lagReset stays below the 65 s or so after which a client without turns gives up. It also stays below the 60
// s after which a proxy feeds its client an empty action or, if none is left, reports that the time to
// reconnect has run out.
const lagReset = 55 * time.Second

// Player is a player of the game as handed over by the lobby. Computer players have no pid and are not
// listed.
type Player struct {
	PID      uint8
	Name     string
	Team     uint8
	Slot     uint8 // counted from 0; not used for a fake player
	Observer bool  // watches only; see Config.ObserversNeverStop
	Fake     bool  // holds a slot without a client; never waited for, and the host may act for it
	Mute     bool  // a fake player for whom the host never acts
	Proxied  bool  // has a GProxy++ that adds empty actions before each 0x0C; see Config.Empties
}

// Config holds the settings of a game. Start from Defaults: New uses every field as given.
type Config struct {
	Players []Player

	Period    time.Duration // time between turns, 20 to 500 ms in whole milliseconds
	SyncLimit int           // lag limit in turns of 100 ms: a player who is further behind, in time, stops the game
	CatchUp   int           // maximum number of turns that a late Tick makes up for; more count as a suspension of the host

	Countdown time.Duration // time between 0x0A, at which the Loop starts, and 0x0B

	DropAfter   time.Duration // total time on lag screens after which a player is dropped; a twelfth is refilled per minute; 0 means never
	LagReset    time.Duration // interval at which the lag screen is renewed, less than 60 s
	LoadTimeout time.Duration // time after which players who have not loaded are dropped; 0 means never
	LoadBehind  time.Duration // once half of the players have loaded, the rest is dropped this long after the last one who has; 0 means never
	LastPlayer  time.Duration // time after which the game ends when only LastPlayers remain; 0 means never
	LastPlayers int           // at least 1

	ActionRate  int // bytes of actions per second that a player may send
	ActionBurst int // bytes of actions that a player may send at once after a quiet period

	// Empties is the number of empty actions before every 0x0C while a player has a proxy, at most 9.
	Empties int

	LoadInGame         bool // players who have loaded enter the game and wait on the lag screen
	ObserversNeverStop bool // do not wait for lagging observers

	// Equalise delays the actions of players with fast connections to match the slowest connection, by at
	// most two turns, so that a faster connection gives no advantage.
	Equalise bool

	// ShareUnits shares the units of fake players, and of players who leave, with their allies.
	ShareUnits bool

	Adaptive Adaptive
}

// Adaptive adapts the period to the players' round trips. It is off by default, and SetPeriod turns it off.
type Adaptive struct {
	On       bool
	Min, Max time.Duration // limits of the period
}

// Defaults returns the configuration of a LAN game without players.
func Defaults() Config {
	return Config{
		Period: 100 * time.Millisecond, SyncLimit: 50, CatchUp: 10,
		DropAfter: time.Minute, LagReset: lagReset, LoadTimeout: 5 * time.Minute, LastPlayer: time.Minute, LastPlayers: 1,
		ActionRate: defaultActionRate, ActionBurst: defaultActionBurst,
		ObserversNeverStop: true,
		Adaptive:           Adaptive{Min: 50 * time.Millisecond, Max: 250 * time.Millisecond},
	}
}

// clampPeriod limits a period and rounds it to whole milliseconds, the unit of the increment field.
func clampPeriod(d time.Duration) time.Duration {
	return min(max(d.Round(time.Millisecond), w3gs.MinPeriod), w3gs.MaxPeriod)
}
