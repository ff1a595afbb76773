package game

import (
	"time"

	"w3host/formats/w3map"
	"w3host/game/command"
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

// Config has the settings of a game. All of it is plain data, so that a
// journal can carry it.
type Config struct {
	ID      uint32 // the number clients join by
	Name    string // in the list of games
	Realm   string // realms that list it besides the LAN, separated by commas
	Version w3gs.Version
	// Versions are further ones whose clients see the lobby. With Crossplay each is told the
	// map's identifiers of its own.
	Versions  []w3gs.Version
	Crossplay bool
	Program   string // the answer of the command "version"

	Map      Map
	Saved    *Saved // nil: it is not a saved game
	Settings w3gs.GameSettings
	Unlisted bool // the lobby is private: on a realm it is found by its name

	Lobby    lobby.Config
	Transfer mapxfer.Config
	Turns    gamesync.Config // the players are filled in at the start

	// Trigger is the first letter of a command in the chat.
	Trigger   byte
	Reconnect Reconnect
	Votes     Votes
	Entry     EntryRules
	Results   ResultRules
	Commands  command.Rules
	Cooldown  Cooldown
	// IdleTimeout ends a running game in which no player has acted for so long; 0: never.
	IdleTimeout time.Duration
	// Rules are the lines that the command "rules" shows.
	Rules []string
	// PublicChat lets the public site show what was said to all.
	PublicChat bool
	// Silence is how long a player in the lobby may send nothing, although every ping
	// wants an answer.
	Silence time.Duration
}

// EntryRules bound the ratings of players on this map (0: no limit), and say what they must have.
type EntryRules struct {
	MinRating, MaxRating int // points
	MinGames             int // rated ones
	// Proxied: players without a GProxy++ proxy, who could not come back, are removed.
	Proxied bool
}

// ResultRules say which results of the game count.
type ResultRules struct {
	MinPlayers  int           // at the start, without observers
	MinLength   time.Duration // of the game
	LeaversLose bool          // a player who leaves allies alone in a game that goes on has lost it, whatever becomes of the allies
}

// Reconnect is how long a running game keeps the seat of a player whose link is
// lost and who sits behind a proxy, until another link resumes it.
type Reconnect struct {
	// Wait is for proxies that keep their client alive with Empties empty actions.
	// 0 turns reconnection off for all proxies.
	Wait    time.Duration
	Empties int
	// ExtendedWait is for proxies that need no empty actions.
	ExtendedWait time.Duration
	// Silence is how long a proxy may send nothing before its link counts as lost. An
	// acknowledgement is sent, and expected, twice in that time.
	Silence time.Duration
}

// Map describes the map to observers.
type Map struct {
	Name     string // as the map calls itself
	File     string
	Path     string // as clients see it
	Size     uint32
	CRC32    uint32
	Checksum uint32
	SHA1     [20]byte
	Reports  w3map.Reports // how its script reports results
	Modes    []string      // that players may vote for
	Link     string        // a page about it
}
