// Package view computes the values that web pages show about lobbies and games. It takes events and snapshots, and
// returns values by key and patches to them. It uses no clock, no socket and no HTML.
package view

import (
	"time"

	"w3host/texts"
)

// Kind is the kind of an Event.
type Kind uint8

// Kinds of events, with the fields that they set besides Game and At.
const (
	// Changed: the state of the lobby or game has changed; a snapshot has the new state.
	Changed Kind = iota + 1
	// Opened: the lobby has opened; Key is the game's key in the game log.
	Opened
	// Joined: a player has joined the lobby.
	Joined
	// Left: a player has left; Text is the reason, and Kicked is set if somebody removed the player.
	Left
	// Said: a player has sent the chat line Text to the audience To.
	Said
	// HostSaid: the host has sent the chat line Text to all players, on behalf of Name.
	HostSaid
	// Started: the game has started and the players load the map.
	Started
	// Loaded: all players have loaded and the first turn begins.
	Loaded
	// Turns: a second of the game has passed; Late is the lateness of its turns.
	Turns
	// LagBegan: the lag screen is shown.
	LagBegan
	// LagEnded: the game continues; Line names the players it waited for and the cause.
	LagEnded
	// Desynced: the games of the players differ; Line names the affected players.
	Desynced
	// LinkLost: the connection of a player has broken; Text is the reason.
	LinkLost
	// LinkResumed: a player has reconnected.
	LinkResumed
	// Commanded: Name has entered the command Text; Refused is the reason if it was refused.
	Commanded
	// Ended: the lobby has closed or the game is over; Text is the reason.
	Ended
)

// Event is something that happened in a lobby or game. It may be kept, and copying it does not allocate.
type Event struct {
	N       uint64 // sequence number over all games, from 1; a gap means that events were lost
	Game    uint32
	Key     string
	At      time.Duration // since 1970
	Kind    Kind
	PID     uint8
	Name    string // name of the player or of the command's caller
	To      Audience
	Kicked  bool
	Text    string
	Refused string
	Line    texts.Text
	Late    Lateness
}

// Audience is the set of players who receive a chat line.
type Audience uint8

// Audiences. Pages show lines to allies, observers and single players only to visitors who may command the host.
const (
	ToAll Audience = iota
	ToAllies
	ToObservers
	ToOne
	ByHost // to all players, from the host
)

// Lateness is by how much the turns of one second were sent late.
type Lateness struct {
	Turns       uint32
	Median, Max time.Duration
}
