package storage

import (
	"encoding/hex"
	"errors"
	"net/netip"
	"time"
)

// Record is an event to be stored in the game log. Only the types of this package implement it. They are
// plain values, which the Recorder copies before Record returns.
//
// Field At is the host's wall clock. Records of a game are applied in the order in which they were recorded.
type Record interface {
	write(to *batchWriter, seq uint64) // adds the statements that store it
}

// EndReason is the way in which a game or lobby ended.
type EndReason string

const (
	EndFinished EndReason = "finished"     // played to its end
	EndDesync   EndReason = "desync"       // no group of players with the same sync hash could continue
	EndClosed   EndReason = "closed"       // lobby that never started
	EndRemade   EndReason = "remade"       // the players play it again from the lobby
	EndStopped  EndReason = "stopped"      // ended by an admin
	EndShutdown EndReason = "shutdown"     // the host was shut down regularly
	EndCrashed  EndReason = "host crashed" // written for a host that died; see presence.go
)

// Occupant is the kind of a slot's occupant.
type Occupant string

const (
	OccupantPlayer   Occupant = "player"
	OccupantComputer Occupant = "computer"
	OccupantFake     Occupant = "fake"
)

// MapID is a map with the identifiers that clients compare. Size is in bytes.
type MapID struct {
	Name     string // the map's own name
	Path     string // path as clients see it: Maps\Download\…
	Size     int64
	CRC32    uint32
	Checksum uint32
	SHA1     SHA1
}

// SHA1 is encoded as 40 hex digits in JSON.
type SHA1 [20]byte

// MarshalText implements encoding.TextMarshaler.
func (s SHA1) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, s[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *SHA1) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	if err == nil && copy(s[:], b) != len(s) {
		err = errors.New("a SHA-1 has 40 hex digits")
	}
	return err
}

// Settings are the game settings that every client sees.
type Settings struct {
	Speed          string `json:"speed,omitempty"`      // as in the configuration: slow, normal or fast
	Visibility     string `json:"visibility,omitempty"` // default, hide-terrain, explored or always-visible
	Observers      string `json:"observers,omitempty"`  // off, on, referees or on-defeat
	TeamsTogether  bool   `json:"teams_together,omitempty"`
	FixedTeams     bool   `json:"fixed_teams,omitempty"`
	SharedControl  bool   `json:"shared_control,omitempty"`
	RandomHero     bool   `json:"random_hero,omitempty"`
	RandomRaces    bool   `json:"random_races,omitempty"`
	LoadInGame     bool   `json:"load_in_game,omitempty"`
	AdaptivePeriod bool   `json:"adaptive_period,omitempty"`
	SyncLimit      int    `json:"sync_limit,omitempty"` // in turns
	HCL            string `json:"hcl,omitempty"`
	SavedGame      string `json:"saved_game,omitempty"`  // file name; "" for a new game
	PublicChat     bool   `json:"public_chat,omitempty"` // the public site may show chat to all players
	Unwatched      string `json:"unwatched,omitempty"`   // why spectating is impossible, if [watch] enables it
}

// GameCreated records that a lobby has opened. It creates the game's row.
type GameCreated struct {
	Game     GameKey
	At       time.Time
	Name     string
	Owner    string
	Realm    string // realm that lists it; "" for the LAN
	Private  bool
	GameID   uint32 // number with which clients join
	Version  string // game version, such as "1.26"
	Map      MapID
	Settings Settings
	Latency  time.Duration // time between turns
	Seed     uint32        // random seed sent to clients
}

// PlayerJoined records a join and creates the player's row. In a lobby, a pid may be used again after its
// player has left; later records refer to the latest player with that pid.
type PlayerJoined struct {
	Game  GameKey
	At    time.Time
	PID   uint8
	Name  string
	Realm string // "" for the LAN
	Addr  netip.Addr
}

// StartedSlot is an occupied slot at the start of a game. Numbers are those of the protocol, counted from 0;
// Race is without the selectable bit.
type StartedSlot struct {
	Slot       uint8
	PID        uint8 // 0 for computer players
	Occupant   Occupant
	Name       string // "" for computer players
	Realm      string
	Addr       netip.Addr
	Team       uint8
	Colour     uint8
	Race       uint8
	Handicap   uint8
	Difficulty uint8 // of a computer player: 0 easy, 1 normal, 2 insane
}

// GameStarted records that the lobby has ended and loading begins.
type GameStarted struct {
	Game   GameKey
	At     time.Time
	Slots  []StartedSlot
	Replay string // file name of the replay being written, or ""
}

// PlayerVouched records that a realm has confirmed a player's name.
type PlayerVouched struct {
	Game  GameKey
	At    time.Time
	PID   uint8
	Realm string
}

// PlayerLoaded records how long after the start a player had loaded.
type PlayerLoaded struct {
	Game  GameKey
	At    time.Time
	PID   uint8
	After time.Duration
}

// GameLoaded records that all players have loaded. The first turn follows.
type GameLoaded struct {
	Game GameKey
	At   time.Time
}

// PlayerLeft records a leave and completes the player's row.
type PlayerLeft struct {
	Game    GameKey
	At      time.Time
	PID     uint8
	Turn    uint32        // 0 in the lobby
	Code    uint32        // reason code of the protocol
	Reason  string        // readable reason
	Ping    time.Duration // mean round trip
	Actions uint32
}

// GameEnded records the end of a game or lobby and completes its row.
type GameEnded struct {
	Game   GameKey
	At     time.Time
	How    EndReason
	Detail string
	Turns  uint32
	Played time.Duration // game time
	Replay string        // file name of the replay, or ""
}
