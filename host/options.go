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
	"w3host/host/takeover"
	"w3host/internal/heartbeat"
	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/record/journal"
	"w3host/record/recording"
	"w3host/spectate"
	"w3host/storage"
)

// Options are the settings and parts that all games of a host share.
type Options struct {
	Network   loop.Network // nil: the system's
	Listeners takeover.Listeners
	Inherited *takeover.Inheritance // nil: nothing outlives this process
	Standby   int                   // from so many lobbies and games on another process stands by for the death of this one, where a holder can have it; 0: never
	Product   w3gs.Product

	// Game has the settings of all games. Fields that depend on the map or the lobby are
	// filled in per game; of Game.Settings, those that the map leaves open count.
	Game     game.Config
	Limits   Limits
	Autohost Autohost

	// RequireEntryKey refuses joins that do not bring the key of the lobby's LAN
	// announcement.
	RequireEntryKey bool

	// Listing answers clients elsewhere that ask for the open lobbies over the game port.
	Listing bool

	Advertiser gamelist.Advertiser
	Recorder   Recorder
	Replays    *recording.Archive // nil: games are not recorded
	Watch      Watch
	Bans       Bans
	// BansChanged has a value when everybody who plays is to be looked up again.
	BansChanged <-chan struct{}
	Admins      Admins
	// Country is the code of an address's country, "" where it is not known. It does not wait. nil: none is known.
	Country func(netip.Addr) string
	People  lookup.People // nil: nobody answers
	Realms  Realms
	Leases  Leases         // nil: every entry is this host's alone
	Ratings lookup.Ratings // nil: everybody is a newcomer
	// Outside takes the lines of players and operators that are no commands of a game.
	// It is called on the loop and must not wait. nil: nobody does.
	Outside func(game uint32, by *command.Caller, line string)
	// Observers make further observers of each game that is opened, before its first
	// fact; key is that in the game log. Those of a game that is made again are shown all its
	// facts, on another goroutine than the loop's; Stamped.Again says that they are old.
	Observers []func(id uint32, key string) Observer
	Log       zerolog.Logger
	// Heart beats with the loop, for the housekeeping of the process; nil: nobody listens.
	Heart *heartbeat.Heart

	// Crashes is the folder for the reports of crashes; empty for none.
	Crashes string
	Journal journal.Options
}

// Autohost keeps lobbies open.
type Autohost struct {
	Entries  []autohost.Entry // their Setup is as Options.Game
	MaxGames int              // lobbies and running games of the host together
	Retry    time.Duration    // the pause after nothing could be opened; 0: 10 s
	// Expand lists the maps that a choice of an entry stands for, nil: one of its
	// name. It never waits.
	Expand func(choice string) []string
	// Open reads one of these maps, with the identifiers of each of the versions, of which
	// the first is that of the game. It is asked for each lobby, so that a replaced file
	// takes effect without a restart.
	Open func(file string, seen []w3gs.Version) (*Map, error)
}

// Watch shows running games, from their records, to others than their players.
type Watch struct {
	On    bool
	Delay time.Duration
	Most  int // viewers of a game
	All   int // viewers of all games
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

// Observer looks at what happens in a game. It never waits, and keeps nothing of
// the facts it is shown.
type Observer interface {
	Observe(*game.Stamped)
}

// Recorder takes what happened for the game log. It never waits.
type Recorder interface {
	Record(storage.Record)
}

// Bans answers from memory who is banned.
type Bans interface {
	// Banned returns why a player may not join or stay, empty if they may. playing: the player plays in a running
	// game, from which only bans made by people remove players.
	Banned(name string, addr netip.Addr, realm string, playing bool) (why string)
}

// Admins answers from memory who may use which commands, beside the owner of a
// lobby.
type Admins interface {
	Level(who Joiner) command.Level
	// AdminLike is the name of an admin that another name is taken for; empty: none.
	AdminLike(name string) string
}

// Joiner is a person who may have an admin's rights. The realm is empty for players of the
// LAN, whose names prove nothing; the address is invalid where it is not known.
type Joiner struct {
	Name, Realm string
	Addr        netip.Addr
	LoggedIn    bool // with the password of the name
}

// Realms knows the realms whose lists joins may come from.
type Realms interface {
	// Of are the names of the realms whose players can join lobbies of a version, each once.
	Of(v w3gs.Version) []string
	// Realm names the realm that a game id was listed on; empty: the LAN, or none.
	Realm(gameID uint32) string
	// Port is where players of a realm's list join; 0: at the host's own.
	Port(realm string) uint16
	// Version is that of the players of a realm.
	Version(realm string) w3gs.Version
	// Account is the name of the host's account there, for people to whisper to.
	Account(realm string) string
	// Confirm asks a realm whether somebody of this name is in the game; no also means
	// that the realm's word would prove nothing. The answer comes on another goroutine, or
	// never. forget ends the question.
	Confirm(realm, name string, game uint32, from netip.Addr, answer func(in bool)) (forget func())
	// Waits names a realm on which a lobby is not listed yet, and the lobby that it waits
	// for; empty: none.
	Waits(game uint32) (realm, lobby string)
}

// Leases knows which lobbies of entries this host may show, and let strangers into, now. It is
// asked on several goroutines and never waits.
type Leases interface {
	Acting(fleet.Lease) bool
	// Session returns the session that has the leases; empty: the host is in none now.
	Session() string
}

// nobody stands in for the parts that an Options leaves out.
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
