package storage

import (
	"encoding/hex"
	"errors"
	"net/netip"
	"time"
)

// Record is one thing that happened. The types of this package are the only
// ones; each is a plain value that the Recorder copies before Record returns.
//
// At is the wall clock of the host. Records of one game are applied in the
// order they were recorded.
type Record interface {
	write(to *batchWriter, seq uint64) // the statements that store it
}

// EndReason says how a game or lobby ended.
type EndReason string

const (
	EndFinished EndReason = "finished"     // played to its end
	EndDesync   EndReason = "desync"       // no players with the same sync hash were left to go on
	EndClosed   EndReason = "closed"       // a lobby that never started
	EndRemade   EndReason = "remade"       // the players play it again, from the lobby on
	EndStopped  EndReason = "stopped"      // ended by an admin
	EndShutdown EndReason = "shutdown"     // the host was stopped in good order
	EndCrashed  EndReason = "host crashed" // written for a host that died; see presence.go
)

// Occupant is the kind of a slot's holder.
type Occupant string

const (
	OccupantPlayer   Occupant = "player"
	OccupantComputer Occupant = "computer"
	OccupantFake     Occupant = "fake"
)

// MapID is a map with the identifiers that clients compare. Size is in bytes.
type MapID struct {
	Name     string // as the map calls itself
	Path     string // as clients see it: Maps\Download\…
	Size     int64
	CRC32    uint32
	Checksum uint32
	SHA1     SHA1
}

// SHA1 is 40 hex digits in JSON.
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

// Settings are the choices of the lobby that every client sees.
type Settings struct {
	Speed          string `json:"speed,omitempty"`      // as in the configuration: slow, normal, fast
	Visibility     string `json:"visibility,omitempty"` // default, hide-terrain, explored, always-visible
	Observers      string `json:"observers,omitempty"`  // off, on, referees, on-defeat
	TeamsTogether  bool   `json:"teams_together,omitempty"`
	FixedTeams     bool   `json:"fixed_teams,omitempty"`
	SharedControl  bool   `json:"shared_control,omitempty"`
	RandomHero     bool   `json:"random_hero,omitempty"`
	RandomRaces    bool   `json:"random_races,omitempty"`
	LoadInGame     bool   `json:"load_in_game,omitempty"`
	AdaptivePeriod bool   `json:"adaptive_period,omitempty"`
	SyncLimit      int    `json:"sync_limit,omitempty"` // turns
	HCL            string `json:"hcl,omitempty"`
	SavedGame      string `json:"saved_game,omitempty"`  // its file; empty for a game from the beginning
	PublicChat     bool   `json:"public_chat,omitempty"` // the public site may show what was said to all
	Unwatched      string `json:"unwatched,omitempty"`   // why others cannot watch it, where [watch] shows games
}

// GameCreated opens the game's row: its lobby is up.
type GameCreated struct {
	Game     GameKey
	At       time.Time
	Name     string
	Owner    string
	Realm    string // where it is listed; empty for the LAN
	Private  bool
	GameID   uint32 // the number clients join by
	Version  string // of the game: "1.26"
	Map      MapID
	Settings Settings
	Latency  time.Duration // period of a turn
	Seed     uint32        // random seed sent to clients
}

// PlayerJoined opens a player's row. A pid may come again in a lobby after its
// player left: later records mean the latest player who joined with that pid.
type PlayerJoined struct {
	Game  GameKey
	At    time.Time
	PID   uint8
	Name  string
	Realm string // empty for the LAN
	Addr  netip.Addr
}

// StartedSlot is one occupied slot of the table the game started with.
// Numbers are those of the wire, from zero; Race without the selectable bit.
type StartedSlot struct {
	Slot       uint8
	PID        uint8 // zero for computers
	Occupant   Occupant
	Name       string // empty for computers
	Realm      string
	Addr       netip.Addr
	Team       uint8
	Colour     uint8
	Race       uint8
	Handicap   uint8
	Difficulty uint8 // of a computer: 0 easy, 1 normal, 2 insane
}

// GameStarted ends the lobby: loading begins.
type GameStarted struct {
	Game   GameKey
	At     time.Time
	Slots  []StartedSlot
	Replay string // file name of the replay, which is being written; empty without one
}

// PlayerVouched says that a realm has confirmed a player's name.
type PlayerVouched struct {
	Game  GameKey
	At    time.Time
	PID   uint8
	Realm string
}

// PlayerLoaded says how long after the start a player had loaded.
type PlayerLoaded struct {
	Game  GameKey
	At    time.Time
	PID   uint8
	After time.Duration
}

// GameLoaded says that everyone has loaded: the first turn follows.
type GameLoaded struct {
	Game GameKey
	At   time.Time
}

// PlayerLeft closes a player's row.
type PlayerLeft struct {
	Game    GameKey
	At      time.Time
	PID     uint8
	Turn    uint32        // zero in the lobby
	Code    uint32        // the reason on the wire
	Reason  string        // in words
	Ping    time.Duration // mean round trip
	Actions uint32
}

// GameEnded closes the game's row.
type GameEnded struct {
	Game   GameKey
	At     time.Time
	How    EndReason
	Detail string
	Turns  uint32
	Played time.Duration // game time
	Replay string        // file name of the replay, empty without one
}
