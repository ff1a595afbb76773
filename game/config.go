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

// Config is the configuration of a game. It is plain data, because it is stored in the journal.
type Config struct {
	ID      uint32 // number by which clients join
	Name    string // name in the game list
	Realm   string // realms that list it in addition to the LAN, separated by commas
	Version w3gs.Version
	// Versions are additional versions whose clients see the lobby. With Crossplay each client gets the map checksums of
	// its own version.
	Versions  []w3gs.Version
	Crossplay bool
	Program   string // answer to the command "version"

	Map      Map
	Saved    *Saved // nil unless it is a saved game
	Settings w3gs.GameSettings
	Unlisted bool // the lobby is private: on a realm it can be found by its name

	Lobby    lobby.Config
	Transfer mapxfer.Config
	Turns    gamesync.Config // players are filled in at the start

	// Trigger is the character that starts a command in chat.
	Trigger   byte
	Reconnect Reconnect
	Votes     Votes
	Entry     EntryRules
	Results   ResultRules
	Commands  command.Rules
	Cooldown  Cooldown
	// IdleTimeout ends a running game in which no player has acted for this long; 0 means never.
	IdleTimeout time.Duration
	// Rules are the lines shown by the command "rules".
	Rules []string
	// PublicChat lets the public site show public chat.
	PublicChat bool
	// Silence is how long a player in the lobby may send nothing, although each ping requires an answer.
	Silence time.Duration
}

// EntryRules are requirements for joining players; 0 means no limit.
type EntryRules struct {
	MinRating, MaxRating int // rating points on this map
	MinGames             int // rated games on this map
	// Proxied removes players without a GProxy++ proxy, who could not reconnect.
	Proxied bool
}

// ResultRules configure which games count.
type ResultRules struct {
	MinPlayers  int           // minimum number of players at the start, without observers
	MinLength   time.Duration // minimum length of the game
	LeaversLose bool          // a player who leaves allies behind in a continuing game has lost, whatever happens to the allies
}

// Reconnect configures how long a running game keeps the seat of a player behind a proxy whose connection is lost.
type Reconnect struct {
	// Wait applies to proxies that keep their client alive with Empties empty actions. 0 turns reconnection off for all
	// proxies.
	Wait    time.Duration
	Empties int
	// ExtendedWait is used instead of Wait for proxies with the extended protocol, whose clients need no empty actions.
	ExtendedWait time.Duration
	// Silence is how long a proxy may send nothing before its connection counts as lost. Acknowledgements are sent and
	// expected twice in that time.
	Silence time.Duration
}

// Map describes the map to observers of the game.
type Map struct {
	Name     string // name in the map file
	File     string
	Path     string // path as sent to clients
	Size     uint32
	CRC32    uint32
	Checksum uint32
	SHA1     [20]byte
	Reports  w3map.Reports // how its script reports results
	Modes    []string      // modes that players can vote for
	Link     string        // web page about the map
}
