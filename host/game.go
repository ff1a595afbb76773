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
	"w3host/host/registry"
	"w3host/host/survive"
	"w3host/host/takeover"
	"w3host/host/watch"
	"w3host/internal/allowance"
	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/record/gamelog"
	"w3host/record/recording"
)

// Game is a lobby and the game that starts from it. It passes inputs from links to the machine, which knows the rules,
// and the machine's orders to the links. Except open, closed and facts.Info it is for the loop's goroutine only.
type Game struct {
	id       uint32
	key      uint32        // entry key for joins from the LAN
	variants []lan.Variant // what clients of each version are shown; with crossplay, each has its own key
	m        *Map
	spec     *lobbySpec
	host     keeper
	log      zerolog.Logger
	group    *loop.Group // its connections and deadline in the loop; nil before begin

	stepping
	listing
	seating
	persistence
	facts      registry.Facts
	onShow     showing
	playing    bool          // it has started: its links are read when a turn is due
	playedFrom time.Duration // when it started, on the shard's clock
	shutOut    bool          // new players cannot join the lobby (machine.ShutsOut)
	began      int           // number of players when the game started
	broken     []netip.Addr  // addresses whose players broke up the game; see breaksUp
	lateSeq    uint64        // lateness.seq when the machine was last told of the host's lateness

	replay    *recording.Recording // nil: not recorded
	records   *gamelog.Records
	observers []Observer
}

// keeper is the Host as its games see it.
type keeper interface {
	// forget removes an ended game.
	forget(*Game)
	// again orders a lobby for a game that is played again.
	again(*Game, *game.Config)
}

// lobbySpec describes a lobby to open.
type lobbySpec struct {
	name     string
	m        *Map
	setup    game.Config
	private  bool           // not listed
	by       string         // as LobbyRequest.By
	file     string         // the map as the entry names it
	order    autohost.Order // zero for a lobby without an entry
	again    *game.Config   // of the game that is played again; nil: none
	over     uint32         // ID of the game that is played again
	restored *game.Restored // the saved game to continue; nil: none
}

// listing says who may find and join the lobby.
type listing struct {
	open   atomic.Bool // the lobby takes joins
	listed bool        // on the LAN
	lease  fleet.Lease // required for new players to join; zero: none is required
	closed atomic.Bool // nobody new may join: the lease is lost, or the host drains
}

// showing is the state of a game for spectators.
type showing struct {
	show     *watch.Show // nil: the game cannot be watched
	withdraw func()      // ends the offer of show
	inList   bool        // listed for spectators
}

// seating assigns links to the seats of players.
type seating struct {
	links   map[game.LinkID]*link
	lastID  game.LinkID
	seats   [w3gs.MaxPID + 1]*link
	proxies [w3gs.MaxPID + 1]*person // players with a reconnect proxy, also while they are disconnected

	extendedWait time.Duration         // how long the game waits for players behind extended proxies
	bearers      map[string]netip.Addr // address of the first player who joined under a realm's name, by admission.Account
}

// persistence lets a game outlive the process.
type persistence struct {
	ledger     *survive.Ledger  // nil: the game ends with the process
	head       *takeover.Header // as it was written last
	shares     shares
	about      recording.About // beginning of its replay
	held       bool            // the supervisor has the sockets and the ledger
	unheld     bool            // the supervisor may lack the ledger or a link
	rebuilding bool            // the machine is being rebuilt without a packet that it panicked over, and takes no input
	knownAt    time.Duration   // when recorded was set
	recorded   uint64          // last fact that was recorded at knownAt
	behind     *behind         // observers that still catch up after a takeover; nil: none
}

// shares counts how much of the ledger joins and players who left have used; see quota.go.
type shares struct {
	joins allowance.Allowance
	spent map[netip.Addr]allowance.Allowance
}

// behind holds the observers of a taken-over game while they catch up.
type behind struct {
	g         *Game
	records   *gamelog.Records
	replay    *recording.Recording
	observers []Observer
}

// ID returns the number that clients join by.
func (g *Game) ID() uint32 { return g.id }

// EntryKey returns the entry key that a join from the LAN must contain.
func (g *Game) EntryKey() uint32 { return g.key }

// version returns the version of the game. With crossplay, clients of other versions see the lobby too.
func (g *Game) version() w3gs.Version { return w3gs.Version(g.variants[0].Version) }

// versionOf returns the version whose clients alone are shown an entry key; 0: none.
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

// SayAll sends a line to all players of the game in the name of by.
func (g *Game) SayAll(by *command.Caller, text string) {
	g.call(func() { g.step(&game.Input{Kind: game.SayAll, Caller: by, Line: text}) })
}

// Notify sends one player of the game a notice with a reason, in their language.
func (g *Game) Notify(to *command.Caller, notice, reason string) {
	g.call(func() { g.step(&game.Input{Kind: game.HostLine, Caller: to, Line: reason, Why: notice}) })
}

// forfeit tells the machine that more packets wait for a seat's proxy than may be kept.
func (g *Game) forfeit(pid uint8) {
	g.step(&game.Input{Kind: game.Forfeit, PID: pid, Why: "more waited for the proxy's acknowledgement than is kept"})
}

// stopNow ends a lobby or game because the host stops.
func (g *Game) stopNow() { g.step(&game.Input{Kind: game.Stop, Why: game.HostStops.String()}) }
