package game

import (
	"time"

	"w3host/lobby"
	"w3host/mapxfer"
	gamesync "w3host/sync"
	"w3host/w3gs"
)

// Config is what a game is made from. All of it is plain data, so that a
// journal can carry it.
type Config struct {
	ID      uint32 // the number clients join by
	Name    string // in the list of games
	Version w3gs.Version
	Program string // answers the command "version"

	Map      Map
	Settings w3gs.GameSettings

	Lobby    lobby.Config
	Transfer mapxfer.Config
	Turns    gamesync.Config // the players are filled in at the start

	// Trigger is the first letter of a command in the chat.
	Trigger byte
	// Wait is how long a running game keeps the seat of a player whose link is
	// lost, until another link resumes it; 0 takes the player out at once.
	Wait time.Duration
	// Silence is how long nothing may be heard of a player in the lobby, where
	// every ping wants an answer.
	Silence time.Duration
}

// Map is what observers are told of the map.
type Map struct {
	Name     string // as the map calls itself
	File     string
	Path     string // as clients see it
	Size     uint32
	CRC32    uint32
	Checksum uint32
	SHA1     [20]byte
}
