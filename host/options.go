package host

import (
	"net/netip"
	"time"

	"github.com/rs/zerolog"

	"w3host/fleet"
	"w3host/game"
	"w3host/game/autohost"
	"w3host/game/command"
	"w3host/host/admission"
	"w3host/host/gamelist"
	"w3host/host/lookup"
	"w3host/host/loop"
	"w3host/host/registry"
	"w3host/host/takeover"
	"w3host/internal/heartbeat"
	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/record/journal"
	"w3host/record/recording"
	"w3host/spectate"
	"w3host/storage"
)

// Options are the settings and collaborators of a host, shared by all its games.
type Options struct {
	Network   loop.Network // nil: the system's
	Listeners takeover.Listeners
	Inherited *takeover.Inheritance // nil: nothing outlives this process
	Standby   int                   // lobbies and games from which a standby process is kept, if there is a supervisor; 0: never
	Product   w3gs.Product

	// Game has the settings of all games. Fields that depend on the map or the lobby are filled in per game.
	// Game.Settings applies where the map leaves a setting open.
	Game     game.Config
	Limits   Limits
	Autohost Autohost

	// RequireEntryKey refuses joins from the LAN without the key of the lobby's announcement.
	RequireEntryKey bool

	// Listing answers clients elsewhere that ask for the open lobbies over the game port.
	Listing bool

	Advertiser gamelist.Advertiser
	Recorder   Recorder
	Replays    *recording.Archive // nil: games are not recorded
	Watch      Watch
	Bans       Bans
	// BansChanged receives a value when all players must be checked for bans again.
	BansChanged <-chan struct{}
	Admins      Admins
	// Country returns the country code of an address, or "" if it is unknown. It does not block. nil: always "".
	Country func(netip.Addr) string
	People  lookup.People // nil: there is no database
	Realms  Realms
	Leases  Leases         // nil: all entries belong to this host alone
	Ratings lookup.Ratings // nil: all players are newcomers
	// Outside receives the commands of players that are not commands of a game. It is called on the loop and must not
	// block. nil: they are ignored.
	Outside func(game uint32, by *command.Caller, line string)
	// Observers make further observers of each game before its first fact; key is the game's key in the game log. After
	// a takeover they are shown all earlier facts, marked Stamped.Again, on another goroutine than the loop's.
	Observers []func(id uint32, key string) Observer
	Log       zerolog.Logger
	// Heart beats with the loop, for the housekeeping of the process; nil: none.
	Heart *heartbeat.Heart

	// Crashes is the directory for crash reports; "": none are written.
	Crashes string
	Journal journal.Options
}

// Autohost describes the lobbies that the host keeps open.
type Autohost struct {
	Entries  []autohost.Entry // with a Setup like Options.Game
	MaxGames int              // lobbies and running games of the host together
	Retry    time.Duration    // pause after a failure to open a lobby; 0: 10 s
	// Expand lists the map files that an entry's choice stands for. It does not block. nil: a choice is a file name.
	Expand func(choice string) []string
	// Open reads a map file, with its identifiers for each of the versions; the first is the version of the game. It is
	// called for each lobby, so a replaced file takes effect without a restart.
	Open func(file string, seen []w3gs.Version) (*Map, error)
}

// Watch configures spectating of running games.
type Watch struct {
	On    bool
	Delay time.Duration
	Most  int // maximum number of spectators of a game
	All   int // maximum number of spectators of all games
	Past  spectate.Options
}

// Limits are the limits for clients; see config.Limits.
type Limits struct {
	admission.Limits
	JoinTimeout  time.Duration
	PacketRate   int           // packets per second of a player
	ShareOfLobby int           // percent of the slots of a lobby on a realm that one address may take; 0: no limit
	OutQueue     int           // bytes that may wait for a connection
	Shutdown     time.Duration // for Close
}

// Info and Totals describe lobbies and games; see package registry.
type (
	Info   = registry.Info
	Totals = registry.Totals
)

// Observer is shown all facts of a game. Observe must not block, and must not keep the fact.
type Observer interface {
	Observe(*game.Stamped)
}

// Recorder takes records for the game log. Record does not block.
type Recorder interface {
	Record(storage.Record)
}

// Bans knows who is banned, in memory.
type Bans interface {
	// Banned returns why a player may not join or stay, or "". playing: the player is in a running game, from which
	// only bans made by people remove players.
	Banned(name string, addr netip.Addr, realm string, playing bool) (why string)
}

// Admins knows, in memory, who may use which commands besides the owner of a lobby.
type Admins interface {
	Level(who Joiner) command.Level
	// AdminLike returns the name of an admin that name could be mistaken for, or "".
	AdminLike(name string) string
}

// Joiner is a person who may have an admin's rights. Realm is empty for players of the LAN, whose names prove nothing;
// Addr is invalid if it is unknown.
type Joiner struct {
	Name, Realm string
	Addr        netip.Addr
	LoggedIn    bool // has typed the password of the name
}

// Realms knows the realms that list the lobbies. Its methods do not block.
type Realms interface {
	// Of returns the names of the realms whose players can join lobbies of a version.
	Of(v w3gs.Version) []string
	// Realm returns the realm that lists a lobby under this game ID, or "" for the LAN.
	Realm(gameID uint32) string
	// Port returns the port that a realm lists; 0: the host's own.
	Port(realm string) uint16
	// Version returns the version of a realm's players.
	Version(realm string) w3gs.Version
	// Account returns the name of the host's account on a realm.
	Account(realm string) string
	// Confirm asks a realm whether an account of this name is in the game. answer is called on another goroutine, or
	// never; false also means that the realm cannot prove it. forget withdraws the question.
	Confirm(realm, name string, game uint32, from netip.Addr, answer func(in bool)) (forget func())
	// Waits returns a realm on which a lobby is not listed yet, and the lobby that is listed there before it, or "".
	Waits(game uint32) (realm, lobby string)
}

// Leases knows which leases of a fleet this host holds. Its methods do not block, and are safe for concurrent use.
type Leases interface {
	// Acting reports whether this host may list the lobby of a lease, and let new players in, now.
	Acting(fleet.Lease) bool
	// Session returns the session that holds the leases, or "".
	Session() string
}

// nobody implements the collaborators that an Options leaves out.
type nobody struct{ lookup.Nobody }

func (nobody) Open(lan.Advert) error                          { return nil }
func (nobody) Update(uint32, lan.Count)                       {}
func (nobody) Close(uint32)                                   {}
func (nobody) Record(storage.Record)                          {}
func (nobody) Banned(string, netip.Addr, string, bool) string { return "" }
func (nobody) Of(w3gs.Version) []string                       { return nil }
func (nobody) Realm(uint32) string                            { return "" }
func (nobody) Port(string) uint16                             { return 0 }
func (nobody) Version(string) w3gs.Version                    { return 0 }
func (nobody) Account(string) string                          { return "" }
func (nobody) Waits(uint32) (string, string)                  { return "", "" }
func (nobody) Level(Joiner) command.Level                     { return command.Anyone }
func (nobody) AdminLike(string) string                        { return "" }

func (nobody) Confirm(_, _ string, _ uint32, _ netip.Addr, _ func(bool)) func() { return func() {} }
