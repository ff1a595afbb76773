package lobby

import (
	"strings"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// defaultVirtualHost is the name that host lines carry in the lobby. With a
// colour code before it, it would be longer than the 15 bytes of a name.
const defaultVirtualHost = "w3host"

// Config describes a lobby. Start from Defaults: New takes every
// field as it stands, except where a field says otherwise.
type Config struct {
	Slots       []w3gs.Slot
	Layout      w3gs.Layout
	PlayerSlots uint8 // start spots; 0 counts the slots that are not observers'
	RandomSeed  uint32
	MapCheck    w3gs.MapCheck // the 0x3D of every joiner; Size is what a client must hold
	// OtherChecks are the 0x3D of players with another version, by version.
	OtherChecks map[w3gs.Version]w3gs.MapCheck
	Observers   bool // players may move to the observer team
	RandomRaces bool // in melee games nobody chooses a race
	HCL         string
	Places      []Place // of the game that is played again, one for each of Slots; else none
	Restored    bool    // the game is a saved one, of which Places are the slots; see restored.go
	// WatchersSeat has a fake player take a free slot at the start, from which others than the players are shown
	// the game. NoWatchers is the reason why this game has none; empty: it may have one.
	WatchersSeat bool
	NoWatchers   string

	Wire      Wire
	Voice     Voice
	Admission Admission
	Owner     Ownership
	Start     StartRules
	Countdown CountdownRules
	Close     CloseRules
	Pace      Pace
	Chat      ChatRules
}

// Wire sets what clients of the game's version want in packets.
type Wire struct {
	Version       w3gs.Version
	MaxPID        uint8 // 12, or 24 from 1.29; also how many teams and colours there are
	HideAddresses bool  // addresses in 0x06 are zero: no player learns another's IP
}

// Voice sets the name and the lines of the host.
type Voice struct {
	VirtualHost string   // speaks for the host; at most 15 bytes, colour codes included; empty: a player's pid does
	Welcome     []string // to each joiner, a line each
	Language    texts.Language
	Trigger     string // begins a command, for the lines that speak of commands
}

// Admission sets which players may join, and which must leave again.
type Admission struct {
	Reserved     []string      // names that displace the latest unreserved joiner of a full lobby
	KickCooldown time.Duration // a kick keeps its victim out for so long, by name and address
	SameAddress  SameAddress   // addresses that many share are left alone
	LookAlikes   LookAlikes    // names that are taken for others; the zero value lets them in
	Anonymous    bool          // others know players by numbers
	AnyMap       bool          // Anonymous holds even if the map may compute with names
	NamesShown   bool          // Anonymous was asked for and does not hold, because the map may compute with names
	PingLimit    time.Duration // players with a longer round trip are kicked; 0: no limit
	ShareOfLobby int           // percent of the slots that players of one address may take, at least two slots; 0: no limit
	MapSilence   time.Duration // a player who has not reported the map for so long, and longer for a large one, is removed; 0: never
}

// Ownership names the owner of the lobby, who may be away: see Lobby.StandIn.
type Ownership struct {
	Name  string
	Realm string // must vouch for the owner's name; empty: the LAN
	First bool   // an ownerless lobby goes to the player who has been in longest
}

// StartRules say what starts the countdown.
type StartRules struct {
	Humans          int           // the countdown starts with so many; 0: off
	Full            bool          // it starts when no slot is open
	Ready, Balanced bool          // it does not start by itself before all are ready, the teams are even
	MinPlayers      int           // so many humans are needed by any start that is not forced
	After           time.Duration // it starts when MinPlayers have been in for so long; 0: off
	QuietAfterLeave time.Duration // how long after a leave an unforced start is refused
	Pings           int           // round trips of each player that a start by hand wants
}

// CountdownRules say how the lobby counts down.
type CountdownRules struct {
	Lines  int // a Step each
	Step   time.Duration
	GoesOn bool // when somebody joins, or leaves MinPlayers behind
}

// CloseRules say when the lobby closes; 0 is never.
type CloseRules struct {
	Idle      time.Duration // nobody in it has done anything for so long
	Abandoned time.Duration // all players who ever were in are gone for so long
	OwnerAFK  time.Duration // its owner is in and has done nothing for so long
}

// Pace sets how often packets of a kind go out, and requests may come in.
type Pace struct {
	PingEvery     time.Duration // between two 0x01 to everybody; 0: none
	TableEvery    time.Duration // at least, between two slot tables; a join needs its table at once
	ProgressEvery time.Duration // the same where only downloads have changed
	SlotRequests  int           // changes of their slot that a player may ask for in a second, twice that at once; 0: no limit
}

// ChatRules mute a player who says Lines lines within Window.
type ChatRules struct {
	Lines  int // 0: no limit
	Window time.Duration
	Mute   time.Duration // how long
	Echo   bool          // from 1.32 on, a line in the lobby goes back to its sender too
}

// OwnerFirst as an owner is the first player who joins.
const OwnerFirst = "first"

// SetOwner takes NAME, NAME@REALM, OwnerFirst, or nothing for nobody.
func (c *Config) SetOwner(owner string) {
	c.Owner = Ownership{First: owner == OwnerFirst}
	if !c.Owner.First {
		c.Owner.Name, c.Owner.Realm, _ = strings.Cut(owner, "@")
	}
}

// Defaults are the numbers that players know from other hosts.
func Defaults() Config {
	return Config{
		Wire:      Wire{Version: w3gs.DefaultVersion, MaxPID: w3gs.ClassicSlots},
		Voice:     Voice{VirtualHost: defaultVirtualHost, Trigger: "!"},
		Admission: Admission{KickCooldown: time.Minute},
		Start:     StartRules{QuietAfterLeave: 2 * time.Second, Pings: 3},
		Countdown: CountdownRules{Lines: 5, Step: time.Second},
		Pace:      Pace{PingEvery: 5 * time.Second, TableEvery: 50 * time.Millisecond, ProgressEvery: time.Second, SlotRequests: 8},
		Chat:      ChatRules{Lines: 5, Window: 5 * time.Second, Mute: 15 * time.Second},
	}
}
