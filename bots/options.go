package bots

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"w3host/lan/carry"
	"w3host/protocol/w3gs"
)

// Defaults of Options.
const (
	DefaultAddr     = "127.0.0.1:6112"
	DefaultPlayers  = 10
	DefaultActions  = 3.0 // actions per second of one player
	DefaultPlay     = 30 * time.Second
	DefaultLoadTime = time.Second

	// DefaultPatience is how long bots wait for a lobby, and in a lobby for its start.
	DefaultPatience = 90 * time.Second
)

// Options say which games to play and how. For a field that has a default, the zero value means the default; Actions
// below 0 means no actions.
type Options struct {
	Addr    string // host:port, TCP for joining and UDP for searching
	Players int    // bots in each game
	Games   int    // games at the same time

	Actions     float64         // actions per second and player
	ActionBytes int             // length of one action; 0 is the shortest, ActionLen
	Burst       int             // total of actions that the bots of a game send in one turn, once; 0: none
	Play        time.Duration   // from the first turn of the last game until the bots leave
	Leave       <-chan struct{} // closing it ends Play early; nil: nothing does
	LoadTime    time.Duration   // each bot's loading time is random between half of this and all of it
	RoundTrip   time.Duration   // added to the round trip of each connection to the host; 0 to 10 s
	Period      time.Duration   // the increment that turns must have; 0 accepts any valid one
	ChatEvery   time.Duration   // each bot says a line this often; 0: once in the lobby
	VoteAfter   time.Duration   // vote to drop laggers this long after the lag screen appeared; 0: never
	Patience    time.Duration   // wait for a lobby, and for the start of a full one

	// Realm is the host:port of a realm whose game list is searched for lobbies. Each bot logs on there under its name.
	// RealmPassword is the password of all these accounts.
	Realm         string
	RealmPassword string

	GameID     uint32 // join this lobby without searching
	EntryKey   uint32 // its entry key
	Version    w3gs.Version
	Map        *w3gs.MapCheck // the only map that the bots accept; nil: whatever the host has
	Save       *Save          // only a lobby of this saved game is joined; nil: only lobbies of no saved game
	NamePrefix string         // a bot's name is this prefix and a number

	NoStart      bool // never type "!start"
	OwnAddresses bool // give every bot its own 127.x.y.z; for a host on this machine
	Record       bool // keep the host's packets in the report (PlayerReport.Events)
	Strangers    int  // number of connections that never join: silent, noisy, half a header, too long, slow
	Portable     bool // one goroutine reads each connection, on Linux too
	Loops        int  // goroutines that share the games; 0 is one

	Kill      string        // file with the process id of a host to kill repeatedly; "" kills none
	KillEvery time.Duration // how often

	Script *Script // the recorded game that is played instead of random actions and lines; nil: none

	// SlowStart makes each bot leave when 0x0B comes within slowStart after 0x0A, as clients from 1.32 on do on slow
	// computers, where they go to the score screen.
	SlowStart bool

	// Watch makes each bot join a recorded game alone, answer its turns and stay to its end. As real clients do, a bot
	// ignores the recorded actions of its own seat, so its game differs if that seat acted.
	Watch bool

	// Conduct returns how each bot behaves; nil: all follow the rules.
	Conduct func(game, seat int) Conduct

	// Network opens the bots' connections; nil stands for the operating system's. Any other network
	// implies Portable, and needs no file descriptors.
	Network Network

	Log     zerolog.Logger
	Program string // the command that starts a host, for hints in errors; "" is "w3host"
}

// Network opens connections.
type Network interface {
	// Dial connects to host:port, with from as the local address unless it is the zero value. It returns when connected
	// or when ctx ends.
	Dial(ctx context.Context, from netip.Addr, to string) (net.Conn, error)
	// Pair returns the two ends of a connection within this process.
	Pair() (here, there carry.Client, err error)
}

// Conduct says how one bot behaves. The zero value follows the rules.
type Conduct struct {
	Desync    bool // sends wrong checksums from turn 20 on
	NeverRead bool // stops reading when the game starts
	Garbage   bool // sends invalid bytes five seconds into the game

	StallAfter time.Duration // stops reading this long after the first turn
	StallFor   time.Duration // length of the stall; 0: none
	LeaveAfter time.Duration // leaves this long after the first turn; 0: at the end of the run

	Download       string        // directory for the downloaded map; the bot claims to lack the map; "": it has the map
	RefuseParts    float64       // share, 0 to 1, of intact map parts that are refused with 0x45
	AckDelay       time.Duration // map parts are acknowledged this much later
	AckSizes       bool          // acknowledges with 0x42 flag 3, not with 0x44
	StallAtPercent int           // stops reading for StallFor at this point of the download
	LeaveAtPercent int           // leaves at this point of the download
	JoinAtPercent  int           // joins when another bot's download is at this point

	Proxy *ProxyConduct // settings of a GProxy++ reconnect proxy; nil: none
}

// ProxyConduct says how the GProxy++ reconnect proxy of a bot behaves.
type ProxyConduct struct {
	Extended  bool          // uses the version of the protocol without empty actions
	CutEvery  time.Duration // how often the connection is cut once the game runs; 0: never
	CutFor    time.Duration // until the bot reconnects
	CutAtByte int           // bytes that are still sent before the cut
}

// misbehaves reports whether the host may drop this bot. Such bots are not measured.
func (c *Conduct) misbehaves() bool {
	return c.Desync || c.NeverRead || c.Garbage || c.StallFor > 0
}

// normal returns the options with defaults filled in, or an error about invalid ones.
func (o Options) normal() (Options, error) {
	o.Addr = cmp.Or(o.Addr, DefaultAddr)
	o.Players = cmp.Or(o.Players, DefaultPlayers)
	o.Games = cmp.Or(o.Games, 1)
	o.Actions = cmp.Or(o.Actions, DefaultActions)
	o.ActionBytes = cmp.Or(o.ActionBytes, ActionLen)
	o.Play = cmp.Or(o.Play, DefaultPlay)
	o.LoadTime = cmp.Or(o.LoadTime, DefaultLoadTime)
	o.Patience = cmp.Or(o.Patience, DefaultPatience)
	o.Version = cmp.Or(o.Version, w3gs.DefaultVersion)
	o.Loops = cmp.Or(o.Loops, 1)
	o.Program = cmp.Or(o.Program, "w3host")
	o.RealmPassword = cmp.Or(o.RealmPassword, RealmPassword)
	if s := o.Script; s != nil {
		o.Players, o.Actions, o.Burst, o.Play = len(s.Names), -1, 0, scriptTime
	}
	if o.Watch {
		o.Games, o.Players = o.Games*o.Players, 1
		o.Actions, o.NoStart, o.Play = -1, true, scriptTime
		o.NamePrefix = cmp.Or(o.NamePrefix, "fan-")
	}
	o.NamePrefix = cmp.Or(o.NamePrefix, "bot-")
	if o.Network != nil {
		o.Portable = true
	}
	if o.Conduct == nil {
		o.Conduct = func(int, int) Conduct { return Conduct{} }
	}
	return o, o.check()
}

func (o *Options) check() error {
	var faults []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	_, _, noAddr := net.SplitHostPort(o.Addr)
	_, _, noRealm := net.SplitHostPort(o.Realm)
	nameLen := len(o.NamePrefix) + len(strconv.Itoa(o.Games*o.Players))
	need(noAddr == nil, "address %q: want host:port, like %s", o.Addr, DefaultAddr)
	need(noRealm == nil || o.Realm == "", "realm %q: want host:port", o.Realm)
	need(o.Players >= 1 && o.Players <= w3gs.MaxSlots, "players %d: a game holds 1 to %d", o.Players, w3gs.MaxSlots)
	need(o.Games >= 1, "games %d: want 1 or more", o.Games)
	need(o.GameID == 0 || o.Games <= 1 || o.Watch, "games %d: with a game id only that one game can be joined", o.Games)
	need(o.ActionBytes >= ActionLen && o.ActionBytes <= w3gs.MaxActionLen, "action bytes %d: want %d to %d", o.ActionBytes, ActionLen, w3gs.MaxActionLen)
	need(o.RoundTrip >= 0 && o.RoundTrip <= 10*time.Second, "round trip %v: want 0 to 10s", o.RoundTrip)
	need(o.LoadTime > 0, "load time %v: want more than 0", o.LoadTime)
	need(o.ChatEvery >= 0, "a line every %v: want 0 or more", o.ChatEvery)
	need(o.Loops >= 1, "loops %d: want 1 or more", o.Loops)
	need(o.Strangers >= 0, "strangers %d: want 0 or more", o.Strangers)
	need(o.Kill == "" || o.KillEvery > 0, "a kill every %v: want more than 0", o.KillEvery)
	need(o.Actions <= 1000, "actions per second %g: want at most 1000", o.Actions)
	need(nameLen <= w3gs.MaxNameLen, "name prefix %q: with the bot's number a name is %d bytes, the game allows %d", o.NamePrefix, nameLen, w3gs.MaxNameLen)
	if o.Script != nil {
		faults = append(faults, o.Script.check())
	}
	return errors.Join(faults...)
}

// connections returns the largest number of connections that the bots have open; for connections within this process
// both ends count.
func (o *Options) connections() int {
	each := 1
	if o.RoundTrip > 0 {
		each += 2
	}
	if o.Realm != "" {
		each++
	}
	n := each * o.Games * o.Players
	for game := range o.Games {
		for seat := range o.Players {
			if o.Conduct(game, seat).Proxy != nil {
				n += 2
			}
		}
	}
	return n
}
