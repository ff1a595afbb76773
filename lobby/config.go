package lobby

import (
	"strings"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// defaultVirtualHost is the name of the host in the lobby. A colour code in front of it would exceed the limit of 15
// bytes for names.
const defaultVirtualHost = "w3host"

// Config describes a lobby. Start from Defaults and change fields: New uses zero values as they are, unless a field says
// otherwise.
type Config struct {
	Slots       []w3gs.Slot
	Layout      w3gs.Layout
	PlayerSlots uint8 // number of starting positions; 0 counts the slots that are not observers'
	RandomSeed  uint32
	MapCheck    w3gs.MapCheck // sent to each joiner in 0x3D; Size is the number of bytes a client must have
	// OtherChecks holds the 0x3D for players with other game versions.
	OtherChecks map[w3gs.Version]w3gs.MapCheck
	Observers   bool // players may move to the observer team
	RandomRaces bool // in melee games all players get random races
	HCL         string
	Places      []Place // slots of a game that is played again, one for each of Slots; otherwise nil
	Restored    bool    // the game is a saved one whose slots are Places; see restored.go
	// WatchersSeat reserves a seat for viewers: a fake player takes a free slot at the start, and viewers see the game
	// from it. NoWatchers is the reason why this game has no such seat, or empty.
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

// Wire configures the packets for the game's version.
type Wire struct {
	Version       w3gs.Version
	MaxPID        uint8 // 12, or 24 from 1.29 on; also the number of teams and colours
	HideAddresses bool  // send zero addresses in 0x06, so that players do not learn each other's IP address
}

// Voice configures the host's name and lines.
type Voice struct {
	VirtualHost string   // name of the host in the lobby; at most 15 bytes including colour codes; empty to speak through a player's pid
	Welcome     []string // lines sent to each joiner
	Language    texts.Language
	Trigger     string // prefix of commands, used in lines about commands
}

// Admission configures who may join and who is removed.
type Admission struct {
	Reserved     []string      // names that displace the latest unreserved joiner if the lobby is full
	KickCooldown time.Duration // how long a kicked player's name and address cannot rejoin
	SameAddress  SameAddress   // rule for several players from one address; addresses shared by many are exempt
	LookAlikes   LookAlikes    // rule for names that look like others; "" allows them
	Anonymous    bool          // show players only as numbers
	AnyMap       bool          // Anonymous applies even if the map may compute with names
	NamesShown   bool          // Anonymous is configured but does not apply, because the map may compute with names
	PingLimit    time.Duration // players with a longer round trip are kicked; 0 means no limit
	ShareOfLobby int           // percentage of the slots that players from one address may take, but at least two slots; 0 means no limit
	MapSilence   time.Duration // players whose client does not report the map within this time, plus time for large maps, are removed; 0 means never
}

// Ownership names the owner of the lobby, who need not be in it; see Lobby.StandIn.
type Ownership struct {
	Name  string
	Realm string // realm that must confirm the owner's name; empty means the LAN
	First bool   // an ownerless lobby goes to the player who joined first
}

// StartRules configure what starts the countdown.
type StartRules struct {
	Humans          int           // the countdown starts with this many human players; 0 means off
	Full            bool          // it starts when no slot is open
	Ready, Balanced bool          // it does not start automatically before all are ready, or the teams are even
	MinPlayers      int           // human players required by every start that is not forced
	After           time.Duration // it starts when MinPlayers have been there for this long; 0 means off
	QuietAfterLeave time.Duration // how long after a leave a start that is not forced is refused
	Pings           int           // round-trip measurements of each player required by a manual start
}

// CountdownRules configure the countdown.
type CountdownRules struct {
	Lines  int // number of lines, one per Step
	Step   time.Duration
	GoesOn bool // continue if a player joins or leaves, as long as MinPlayers remain
}

// CloseRules configure when the lobby closes; 0 means never.
type CloseRules struct {
	Idle      time.Duration // no player has been active for this long
	Abandoned time.Duration // all players have left for this long
	OwnerAFK  time.Duration // the owner is present and has been inactive for this long
}

// Pace configures how often packets are sent and requests are accepted.
type Pace struct {
	PingEvery     time.Duration // interval of 0x01 to everybody; 0 means no pings
	TableEvery    time.Duration // minimum time between two slot tables; a join sends one at once
	ProgressEvery time.Duration // the same for tables in which only download percentages changed
	SlotRequests  int           // slot changes per second that a player may request, with a burst of two seconds' worth; 0 means no limit
}

// ChatRules configure flood control: a player who sends Lines lines within Window is muted.
type ChatRules struct {
	Lines  int // 0 means no limit
	Window time.Duration
	Mute   time.Duration // length of the mute
	Echo   bool          // from 1.32 on, lobby lines are also sent back to their sender
}

// OwnerFirst as the owner means that the first player to join becomes the owner.
const OwnerFirst = "first"

// SetOwner sets the owner: NAME, NAME@REALM, OwnerFirst, or "" for no owner.
func (c *Config) SetOwner(owner string) {
	c.Owner = Ownership{First: owner == OwnerFirst}
	if !c.Owner.First {
		c.Owner.Name, c.Owner.Realm, _ = strings.Cut(owner, "@")
	}
}

// Defaults returns the values that players are used to from other hosts.
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
