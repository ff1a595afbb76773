package storage

import (
	"encoding/json"
	"time"

	"w3host/rating"
)

// ChatScope is the audience of a chat line.
type ChatScope string

const (
	ChatLobby     ChatScope = "lobby"
	ChatAll       ChatScope = "all"
	ChatAllies    ChatScope = "allies"
	ChatObservers ChatScope = "observers"
	ChatPrivate   ChatScope = "private" // To holds the receiver
)

// ChatLine is a chat line of a player or of the host, whose PID is that of the sender it used.
type ChatLine struct {
	Game  GameKey `db:"game_key"`
	At    time.Time
	Turn  uint32 // 0 in the lobby
	PID   uint8
	Name  string
	Scope ChatScope
	To    string `db:"recipient"`
	Text  string `db:"line"`
}

// LagEvent records a player's time on the lag screen, written when it is over.
type LagEvent struct {
	Game     GameKey `db:"game_key"`
	At       time.Time
	Turn     uint32
	PID      uint8
	Lasted   time.Duration
	Behind   uint32        // maximum number of unanswered turns
	Ping     time.Duration // the player's round trip
	HostLate time.Duration // lateness of the host itself
	Backlog  uint32        // bytes waiting for the player's socket
	Cause    string        // "connection", "computer", "the host" or "unknown"
}

// DropEvent records that the game removed a player because of a vote, a time limit or a desync.
type DropEvent struct {
	Game   GameKey `db:"game_key"`
	At     time.Time
	Turn   uint32
	PID    uint8
	Reason string
	By     string `db:"decided_by"` // who decided it; "" for votes, time limits and desyncs
	Votes  uint8
}

// LinkEvent records that a player's connection was lost and may be resumed, or that it was resumed.
type LinkEvent struct {
	Game    GameKey `db:"game_key"`
	At      time.Time
	Turn    uint32
	PID     uint8
	Resumed bool
	Away    time.Duration // time without a connection, if resumed
	Reason  string        // why the connection was lost
}

// PIDs is encoded as an array of numbers in JSON; plain bytes would become base64.
type PIDs []uint8

// MarshalJSON implements json.Marshaler.
func (p PIDs) MarshalJSON() ([]byte, error) {
	numbers := make([]uint16, len(p))
	for i, pid := range p {
		numbers[i] = uint16(pid)
	}
	return json.Marshal(numbers)
}

// HashGroup is the set of players whose sync hashes agreed in a desync.
type HashGroup struct {
	Hash    uint32
	PIDs    PIDs
	Dropped bool
}

// Desync records that players' sync hashes differed.
type Desync struct {
	Game   GameKey
	At     time.Time
	Turn   uint32
	Groups []HashGroup
	// Dossier is a JSON document with the hashes of the last turns and each player's actions. Other text is
	// stored as a JSON string.
	Dossier json.RawMessage
}

// MapDownload records the end of a map download, complete or not.
type MapDownload struct {
	Game     GameKey `db:"game_key"`
	At       time.Time
	PID      uint8
	Name     string
	Bytes    int64 // bytes sent by the host
	Took     time.Duration
	Complete bool
	Detail   string // why it ended early
}

// AdminAction is a line of the audit log. Game is zero if it does not concern a game.
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

// ResultSource is the origin of a result.
type ResultSource string

const (
	SourceW3MMD ResultSource = "w3mmd"
	SourceDotA  ResultSource = "dota"
	SourceVote  ResultSource = "vote" // agreed by the players with a command
	SourceHost  ResultSource = "host" // by the host's [results] rules
)

// ResultOutcome is the name of the PlayerResult from which wins are counted. Its values are the Outcome
// constants.
const ResultOutcome = "outcome"

const (
	OutcomeWon    = "won"
	OutcomeLost   = "lost"
	OutcomeDrew   = "drew"
	OutcomeLeaver = "left"
	// OutcomeForfeited replaces the map's outcome for a player who lost by leaving the game early.
	OutcomeForfeited = rating.Forfeited
)

// ResultUncounted is the name of the MapResult that explains why no result of its source counts.
const ResultUncounted = "not counted"

// MapReport is a value that a player's client synchronised for the map, unchanged.
type MapReport struct {
	File, Mission, Key string
	Value              uint32
}

// MapReports records the reports in one action of a player. Results are derived from all reports of a game.
type MapReports struct {
	Game    GameKey
	At      time.Time
	Turn    uint32
	Played  time.Duration // game time
	Sender  uint8
	Reports []MapReport
}

// MapResult is a value that the map reported about the whole game. The values of all senders are kept;
// Contradicts marks one that another sender contradicts.
type MapResult struct {
	Game        GameKey `db:"game_key"`
	At          time.Time
	Turn        uint32
	Source      ResultSource
	Sender      uint8 // pid of the reporting client
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
	PID         uint8 // player the value is about
	Name        string
	Value       string
	Contradicts bool
	Doubtful    bool // does not count: possibly fabricated by the player, or excluded by the rules
}
