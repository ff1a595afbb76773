package storage

import (
	"encoding/json"
	"time"

	"w3host/rating"
)

// ChatScope is the audience of a line.
type ChatScope string

const (
	ChatLobby     ChatScope = "lobby"
	ChatAll       ChatScope = "all"
	ChatAllies    ChatScope = "allies"
	ChatObservers ChatScope = "observers"
	ChatPrivate   ChatScope = "private" // To names the receiver
)

// ChatLine is one line of chat, the lines of the host included (PID of its sender).
type ChatLine struct {
	Game  GameKey `db:"game_key"`
	At    time.Time
	Turn  uint32 // zero in the lobby
	PID   uint8
	Name  string
	Scope ChatScope
	To    string `db:"recipient"`
	Text  string `db:"line"`
}

// LagEvent is one wait on the lag screen, written when it is over.
type LagEvent struct {
	Game     GameKey `db:"game_key"`
	At       time.Time
	Turn     uint32
	PID      uint8
	Lasted   time.Duration
	Behind   uint32        // turns, at worst
	Ping     time.Duration // the player's round trip
	HostLate time.Duration // how late the host itself was
	Backlog  uint32        // bytes that waited for the player's socket
	Cause    string        // "connection", "host", "loading"
}

// DropEvent is a player removed by the game: by a vote, by time, by a hash.
type DropEvent struct {
	Game   GameKey `db:"game_key"`
	At     time.Time
	Turn   uint32
	PID    uint8
	Reason string
	By     string `db:"decided_by"` // who decided, empty for votes, time and hashes
	Votes  uint8
}

// LinkEvent is a player's connection that broke in a game and can come back, or
// that came back.
type LinkEvent struct {
	Game    GameKey `db:"game_key"`
	At      time.Time
	Turn    uint32
	PID     uint8
	Resumed bool
	Away    time.Duration // without a connection, if resumed
	Reason  string        // why it broke
}

// PIDs is a list of numbers in JSON, where plain bytes would be base64.
type PIDs []uint8

// MarshalJSON implements json.Marshaler.
func (p PIDs) MarshalJSON() ([]byte, error) {
	numbers := make([]uint16, len(p))
	for i, pid := range p {
		numbers[i] = uint16(pid)
	}
	return json.Marshal(numbers)
}

// HashGroup is the players whose sync hash agreed in the turn of a desync.
type HashGroup struct {
	Hash    uint32
	PIDs    PIDs
	Dropped bool
}

// Desync is the dossier of one disagreement of sync hashes.
type Desync struct {
	Game   GameKey
	At     time.Time
	Turn   uint32
	Groups []HashGroup
	// Dossier is a JSON document: hashes of the last turns, actions per
	// player. Anything that is not JSON is kept as a JSON string.
	Dossier json.RawMessage
}

// MapDownload is one map transfer that ended, complete or not.
type MapDownload struct {
	Game     GameKey `db:"game_key"`
	At       time.Time
	PID      uint8
	Name     string
	Bytes    int64 // sent by us
	Took     time.Duration
	Complete bool
	Detail   string // why it ended early
}

// AdminAction is a line of the audit log. Game is zero when it concerns none.
type AdminAction struct {
	Game    GameKey   `json:"game,omitzero" db:"game_key"`
	At      time.Time `json:"at"`
	Who     string    `json:"who"`
	Realm   string    `json:"realm,omitempty" doc:"Of who"`
	Via     string    `json:"via" example:"lobby" doc:"lobby, game, console, control, api, web, cli, realm"`
	Action  string    `json:"action" example:"kick" doc:"The command"`
	On      string    `json:"on,omitempty" db:"target" doc:"The player or thing"`
	Detail  string    `json:"detail,omitempty" doc:"Arguments"`
	Refused string    `json:"refused,omitempty" doc:"Why it was not done; none when it was"`
}

// ResultSource says which protocol of the map a value came by.
type ResultSource string

const (
	SourceW3MMD ResultSource = "w3mmd"
	SourceDotA  ResultSource = "dota"
	SourceVote  ResultSource = "vote" // of the players, by command
	SourceHost  ResultSource = "host" // by its rules of results
)

// ResultOutcome is the name of the PlayerResult that statistics count wins by;
// its values are the Outcome constants.
const ResultOutcome = "outcome"

const (
	OutcomeWon    = "won"
	OutcomeLost   = "lost"
	OutcomeDrew   = "drew"
	OutcomeLeaver = "left"
	// OutcomeForfeited is the outcome of a player who left a game early, where that loses it: the host's word, in place of the map's.
	OutcomeForfeited = rating.Forfeited
)

// ResultUncounted is the name of the MapResult that says why no result of its source counts, whatever was reported.
const ResultUncounted = "not counted"

// MapReport is a value that the client of a player has synchronised for the map, as it came.
type MapReport struct {
	File, Mission, Key string
	Value              uint32
}

// MapReports are the reports in one action of a player. Results are made of all of a game.
type MapReports struct {
	Game    GameKey
	At      time.Time
	Turn    uint32
	Played  time.Duration // game time
	Sender  uint8
	Reports []MapReport
}

// MapResult is a value that the map reported about the whole game. Every
// sender's word is kept; Contradicts marks one that another sender denies.
type MapResult struct {
	Game        GameKey `db:"game_key"`
	At          time.Time
	Turn        uint32
	Source      ResultSource
	Sender      uint8 // pid whose client said so
	Name        string
	Value       string // numbers in decimal
	Contradicts bool
}

// PlayerResult is a value that the map reported about one player.
type PlayerResult struct {
	Game        GameKey `db:"game_key"`
	At          time.Time
	Turn        uint32
	Source      ResultSource
	Sender      uint8
	PID         uint8 // whom it is about
	Name        string
	Value       string
	Contradicts bool
	Doubtful    bool // it counts for nothing: the player may have made it up, or the rules of results say so
}
