package host

import (
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/fleet"
	"w3host/game"
	"w3host/game/autohost"
	"w3host/game/command"
	"w3host/host/loop"
	"w3host/host/survive"
	"w3host/host/takeover"
	"w3host/host/watch"
	"w3host/internal/allowance"
	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/record/gamelog"
	"w3host/record/recording"
)

// Game is a lobby and the game that comes of it: it carries inputs from links to
// the machine, which knows the rules, and orders from there to the links. All
// but open and info belongs to the goroutine of its shard.
type Game struct {
	id       uint32
	key      uint32        // entry key of joins from the LAN
	variants []lan.Variant // what clients of each version are shown; each has a key of its own with crossplay
	m        *Map
	spec     *lobbySpec
	host     keeper
	log      zerolog.Logger
	group    *loop.Group // its place in the loop; nil before begin

	stepping
	listing
	seating
	surviving
	facts
	onShow     showing
	playing    bool          // its links are read when a turn is due
	playedFrom time.Duration // on the shard's clock
	shutOut    bool          // strangers cannot join the lobby
	began      int           // so many players were in the game when it began
	broken     []netip.Addr  // addresses of players who left when it had just begun
	lateSeq    uint64        // the host's lateness that the machine has heard of

	replay    *recording.Recording // nil: none
	records   *gamelog.Records
	observers []Observer
}

// keeper keeps all games; it is the host for its games.
type keeper interface {
	// forget comes when the game is over.
	forget(*Game)
	// again has a lobby opened in the place of a game that is played again.
	again(*Game, *game.Config)
}

// lobbySpec holds the arguments for a new lobby.
type lobbySpec struct {
	name     string
	m        *Map
	setup    game.Config
	private  bool           // not listed
	by       string         // as Wish.By
	file     string         // as the entry calls the map
	order    autohost.Order // of the entry; zero where none asks for the lobby
	again    *game.Config   // of a game that is played again; nil: none
	over     uint32         // its number
	restored *game.Restored // nil: it is not a saved game
}

// listing is how others see the lobby or game.
type listing struct {
	open   atomic.Bool // the lobby takes joins
	listed bool        // on the LAN
	lease  fleet.Lease // under which strangers may come; zero: none is needed
	closed atomic.Bool // to strangers: the lease is lost, or the host drains
}

// showing is how a game is shown to others than its players.
type showing struct {
	show     *watch.Show // nil: the game cannot be watched
	withdraw func()
	inList   bool
}

// seating assigns links to the seats of players.
type seating struct {
	links   map[game.LinkID]*link
	lastID  game.LinkID
	seats   [w3gs.MaxPID + 1]*link
	proxies [w3gs.MaxPID + 1]*person // players who have one, also while their seat has no link

	extendedWait time.Duration         // how long players behind extended proxies are waited for
	bearers      map[string]netip.Addr // who has joined first under a name of a realm
}

// surviving is the part of a game that lets it outlive the process.
type surviving struct {
	ledger     *survive.Ledger  // nil: it does not
	head       *takeover.Header // as it was noted last
	shares     shares
	about      recording.About // of its replay
	held       bool            // the holder has the sockets and the ledger
	unheld     bool            // the holder may not have the ledger and all links yet
	rebuilding bool            // its machine is rebuilt without a packet that it has panicked over, and takes no input
	knownAt    time.Duration   // when recorded was noted
	recorded   uint64          // the last fact that was recorded then
	behind     *behind         // observe the game, but are not where it is yet; nil: none
}

// shares counts the use of the ledger by players who have no link now.
type shares struct {
	joins allowance.Allowance
	spent map[netip.Addr]allowance.Allowance
}

// behind holds the observers of a claimed game that have not caught up with it yet.
type behind struct {
	g         *Game
	records   *gamelog.Records
	replay    *recording.Recording
	observers []Observer
}

// ID is the number that clients join by.
func (g *Game) ID() uint32 { return g.id }

// EntryKey returns the number that a join from the LAN must bring.
func (g *Game) EntryKey() uint32 { return g.key }

// version is that of the game; clients of others may see the lobby, too.
func (g *Game) version() w3gs.Version { return w3gs.Version(g.variants[0].Version) }

// versionOf is the version whose clients alone are shown an entry key; 0: none.
func (g *Game) versionOf(key uint32) w3gs.Version {
	for _, v := range g.variants {
		if v.EntryKey == key && key != g.key {
			return w3gs.Version(v.Version)
		}
	}
	return 0
}

// String names the game in messages.
func (g *Game) String() string { return fmt.Sprintf("game %d", g.id) }

// Say sends a line to one player of the game.
func (g *Game) Say(to *command.Caller, text string) {
	g.call(func() { g.step(&game.Input{Kind: game.HostLine, Caller: to, Line: text}) })
}

// SayAll sends a line to all players of the game, since by wants it.
func (g *Game) SayAll(by *command.Caller, text string) {
	g.call(func() { g.step(&game.Input{Kind: game.SayAll, Caller: by, Line: text}) })
}

// Notify has one player of the game read a Notice around a reason, in their language.
func (g *Game) Notify(to *command.Caller, notice, reason string) {
	g.call(func() { g.step(&game.Input{Kind: game.HostLine, Caller: to, Line: reason, Why: notice}) })
}

// forfeit tells the machine that more would have to be kept for a seat than may
// be.
func (g *Game) forfeit(pid uint8) {
	g.step(&game.Input{Kind: game.Forfeit, PID: pid, Why: "more waited for the proxy's acknowledgement than is kept"})
}

// stopNow ends a lobby or game, since the host stops.
func (g *Game) stopNow() { g.step(&game.Input{Kind: game.Stop, Why: game.HostStops.String()}) }
