// Package view keeps the values that web pages show of lobbies and games: facts and snapshots in, keyed
// values and patches out. It knows no clock, no socket and no markup.
package view

import (
	"time"

	"w3host/texts"
)

// Kind says what an Event tells.
type Kind uint8

// Kinds, with the fields that they use besides Game and At.
const (
	// Changed: how the lobby or game stands is another; a snapshot tells how.
	Changed Kind = iota + 1
	// Opened: the lobby is up; Key is the game's in the game log.
	Opened
	// Joined: a player has a seat.
	Joined
	// Left: a player is gone; Text says why, Kicked that somebody wanted it.
	Left
	// Said: a player has said Text to To.
	Said
	// HostSaid: the host has said Text to all, since Name wanted it.
	HostSaid
	// Started: the players load.
	Started
	// Loaded: turns begin.
	Loaded
	// Turns: Late is the lateness of the turns of the last second.
	Turns
	// LagBegan: the lag screen is up.
	LagBegan
	// LagEnded: the game goes on; Line says for whom it waited and why.
	LagEnded
	// Desynced: Line says who differs.
	Desynced
	// LinkLost: the connection of a player broke; Text says why.
	LinkLost
	// LinkResumed: a player is back.
	LinkResumed
	// Commanded: somebody has given the command Text; Refused says why it was not done.
	Commanded
	// Ended: the lobby is closed, or the game is over; Text says how.
	Ended
)

// Event is a fact of a game as a value: it can be kept, and is copied without allocation.
type Event struct {
	N       uint64 // its number among those of all games, from 1; a gap means that some are lost
	Game    uint32
	Key     string
	At      time.Duration // since 1970
	Kind    Kind
	PID     uint8
	Name    string // of the player, or of the caller of a command
	To      Audience
	Kicked  bool
	Text    string
	Refused string
	Line    texts.Text
	Late    Lateness
}

// Audience says which players read a line.
type Audience uint8

// Audiences. Lines to allies, observers and single players are for visitors who may command the
// host, and for nobody else.
const (
	ToAll Audience = iota
	ToAllies
	ToObservers
	ToOne
	ByHost // to all, as the host's
)

// Lateness is that of the turns of a second.
type Lateness struct {
	Turns       uint32
	Median, Max time.Duration
}
