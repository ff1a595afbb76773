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

// Options say which games to play and how. The zero value of a field that has
// a default means that default; Actions below zero means none.
type Options struct {
	Addr    string // host:port, TCP for joining and UDP for searching
	Players int    // bots in each game
	Games   int    // games at the same time

	Actions     float64       // actions per second and player
	ActionBytes int           // length of one action; 0 is the shortest, ActionLen
	Burst       int           // actions that the bots of a game send together within one turn, once
	Play        time.Duration // from the first turn of the last game until the bots leave
	LoadTime    time.Duration // loading takes between half of it and all of it
	RoundTrip   time.Duration // what the lines to the host add to it; 0 nothing
	Period      time.Duration // turns must advance by this; 0 takes the host's
	ChatEvery   time.Duration // each bot says a line this often; 0 once in the lobby
	VoteAfter   time.Duration // vote to drop laggers this long after the screen came up; 0 never
	Patience    time.Duration // wait for a lobby, and for the start of a full one

	// Realm is the host:port of a realm in whose list lobbies are looked for; each
	// bot logs on there under its name. RealmPassword is of all their accounts.
	Realm         string
	RealmPassword string

	GameID     uint32 // join this lobby without searching
	EntryKey   uint32 // its entry key
	Version    w3gs.Version
	Map        *w3gs.MapCheck // the only map that the bots accept; nil: whatever the host has
	Save       *Save          // the lobby of this saved game is wanted; nil: none of a saved game
	NamePrefix string         // a bot is called prefix and number

	NoStart      bool // never say "!start"
	OwnAddresses bool // give every bot its own 127.x.y.z; for a host on this machine
	Record       bool // keep the host's packets, one by one, in the report
	Strangers    int  // connections that never join: silent, noisy, half a header, too long, slow
	Portable     bool // one goroutine reads each connection, also on Linux
	Loops        int  // goroutines that share the games; 0 is one

	Kill      string        // the file with the process number of a host that is killed; "" for none
	KillEvery time.Duration // how often

	Script *Script // played instead of random actions and lines

	// SlowStart has each bot go to the score screen when 0x0B comes within slowStart of 0x0A, as clients from
	// 1.32 on do on slow computers.
	SlowStart bool

	// Watch has each bot join a recorded game alone, answer its turns and stay to its end. As real clients do, it ignores
	// the recorded actions of its own seat, so it computes another game in the seat of somebody who acted.
	Watch bool

	// Conduct says how each bot behaves; nil is the zero Conduct for all.
	Conduct func(game, seat int) Conduct

	// Network opens the bots' connections; nil: the system. With a network of its own a run is Portable,
	// and opens no file for a connection.
	Network Network

	Log     zerolog.Logger
	Program string // how a host is started, for hints; empty is "w3host"
}

// Network opens connections.
type Network interface {
	// Dial connects to host:port from an address; the zero address is any.
	Dial(ctx context.Context, from netip.Addr, to string) (net.Conn, error)
	// Pair returns the two ends of a connection within this process.
	Pair() (here, there carry.Client, err error)
}

// Conduct is how one bot behaves. The zero value plays by the rules.
type Conduct struct {
	Desync    bool // answers with wrong hashes from turn 20 on
	NeverRead bool // stops reading when the game starts
	Garbage   bool // sends bytes that are no packet, five seconds into the game

	StallAfter time.Duration // stops reading this long after the first turn
	StallFor   time.Duration // length of the stall; 0 never stalls
	LeaveAfter time.Duration // leaves this long after the first turn; 0 at the end

	Download       string        // directory for the map: the bot claims to lack it
	RefuseParts    float64       // share of intact map parts that are refused with 0x45
	AckDelay       time.Duration // parts are acknowledged this late
	AckSizes       bool          // acknowledges with 0x42 flag 3, not with 0x44
	StallAtPercent int           // stops reading for StallFor at this point of the download
	LeaveAtPercent int           // leaves at this point of the download
	JoinAtPercent  int           // joins when another bot's download is at this point

	Proxy *ProxyConduct // nil: none
}

// ProxyConduct is a bot behind a GProxy++ proxy.
type ProxyConduct struct {
	Extended  bool          // needs no empty actions
	CutEvery  time.Duration // the connection is cut this often once the game runs; 0 never
	CutFor    time.Duration // until the bot reconnects
	CutAtByte int           // bytes that are still sent before the cut
}

// misbehaves reports whether the host may drop this bot. Such bots are not
// measured.
func (c *Conduct) misbehaves() bool {
	return c.Desync || c.NeverRead || c.Garbage || c.StallFor > 0
}

// normal fills in the defaults and checks the rest.
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

// connections is how many the bots have open at the most, those that stay within this process by both ends.
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
