package lobby

import (
	"strings"
	"time"

	"w3host/texts"
	"w3host/w3gs"
)

// DefaultVirtualHost is the name that host lines carry in the lobby. With a
// colour code before it, it would be longer than the 15 bytes of a name.
const DefaultVirtualHost = "w3host"

// Config is what a lobby is made from. Start from Defaults: New takes every
// field as it stands, except where a field says otherwise.
type Config struct {
	// Slots, Layout, PlayerSlots and RandomSeed come from the map. PlayerSlots is
	// the number of start spots; 0 counts the slots that are not observers'.
	Slots       []w3gs.Slot
	Layout      w3gs.Layout
	PlayerSlots uint8
	RandomSeed  uint32

	// MapCheck is the 0x3D that every joiner gets; its Size is what a client must
	// hold.
	MapCheck w3gs.MapCheck

	// MaxPID is the highest player id: 12, or 24 from 1.29. It also sets the
	// number of teams and colours, and the observer team. 0 is 12.
	MaxPID uint8
	// Observers says that players may move to the observer team.
	Observers bool
	// RandomRaces takes the choice of race away in melee games.
	RandomRaces bool
	// RelayExtra says that clients send 0x59, which goes to everybody.
	RelayExtra bool
	// HideAddresses sends zero addresses in 0x06: no player learns another's IP.
	HideAddresses bool

	// VirtualHost is the name that speaks for the host; at most 15 bytes, colour
	// codes included. Empty: a player's pid speaks for the host.
	VirtualHost string
	// Welcome is said to each joiner, a line each.
	Welcome []string
	// Places are the slots of a game that is played again, one for each of Slots:
	// who was in it gets the same place, and may displace who was not.
	Places []Place
	// Language is what players read the host in who have not chosen another.
	Language texts.Language
	// Reserved names may displace the latest unreserved joiner of a full lobby.
	Reserved []string
	// Owner is the name of the player who owns the lobby, whether they are in or
	// not. While they are not, a stand-in may start it; see Lobby.StandIn.
	Owner string
	// OwnerRealm is the realm that must vouch for the owner's name; empty: the LAN.
	OwnerRealm string
	// OwnerFirst gives a lobby without an owner to the first who joins, and passes
	// it on to whoever has been in longest when its owner goes.
	OwnerFirst bool
	// Trigger begins a command, for the lines that speak of commands.
	Trigger string
	// KickCooldown is how long a kick keeps its victim out of this lobby, by name
	// and by address.
	KickCooldown time.Duration
	// SameAddress is what happens when somebody joins from the address of another
	// player; addresses that many share are left alone.
	SameAddress SameAddress
	// HCL is the mode string written into the handicaps at the start.
	HCL string

	// AutoStart starts the countdown with that many humans in the lobby; 0 is off.
	AutoStart int
	// AutoStartFull starts the countdown when no slot is open.
	AutoStartFull bool
	// AutoStartReady and AutoStartBalanced let no start by itself begin before all
	// are ready, and before the teams are even.
	AutoStartReady, AutoStartBalanced bool

	// MinPlayers is how many humans any start needs that is not forced. StartAfter
	// starts the countdown when so many have been in for that long; 0 is off.
	MinPlayers int
	StartAfter time.Duration
	// PingLimit puts out who has a longer round trip; 0 is no limit.
	PingLimit time.Duration

	// The lobby closes when nobody in it has done anything for IdleAfter, when all
	// who ever were in are gone for AbandonedAfter, and when its owner is in and has
	// done nothing for OwnerAFKAfter; 0 is never.
	IdleAfter      time.Duration
	AbandonedAfter time.Duration
	OwnerAFKAfter  time.Duration

	// CountdownGoesOn keeps a countdown running when somebody joins, and when
	// somebody leaves while there are MinPlayers.
	CountdownGoesOn bool
	// Countdown is how many lines are counted; CountdownStep is the time for each.
	Countdown     int
	CountdownStep time.Duration
	// PingEvery is the time between two 0x01 to everybody; 0 sends none.
	PingEvery time.Duration
	// ProgressEvery is the least time between two slot tables that only tell of
	// downloads.
	ProgressEvery time.Duration

	// TableEvery is the least time between two slot tables: changes within it go
	// out as one. A join needs its table at once.
	TableEvery time.Duration
	// SlotRequests is how many changes of their slot one player may ask for in a
	// second, and twice that at once; 0 sets no limit. What is more is ignored.
	SlotRequests int

	// QuietAfterLeave is how long after a leave an unforced start is refused.
	QuietAfterLeave time.Duration
	// PingsBeforeStart is how many round trips an unforced start wants of each
	// player.
	PingsBeforeStart int

	// A player who says ChatLines lines within ChatWindow is muted for ChatMute.
	// ChatLines 0 sets no limit.
	ChatLines  int
	ChatWindow time.Duration
	ChatMute   time.Duration
}

// OwnerFirst as an owner is the first player who joins.
const OwnerFirst = "first"

// SetOwner takes NAME, NAME@REALM, OwnerFirst, or nothing for nobody.
func (c *Config) SetOwner(owner string) {
	if c.OwnerFirst = owner == OwnerFirst; c.OwnerFirst {
		owner = ""
	}
	c.Owner, c.OwnerRealm, _ = strings.Cut(owner, "@")
}

// Defaults are the numbers that players know from other hosts.
func Defaults() Config {
	return Config{
		MaxPID:           w3gs.ClassicSlots,
		Trigger:          "!",
		KickCooldown:     time.Minute,
		VirtualHost:      DefaultVirtualHost,
		Countdown:        5,
		CountdownStep:    time.Second,
		PingEvery:        5 * time.Second,
		ProgressEvery:    time.Second,
		TableEvery:       50 * time.Millisecond,
		SlotRequests:     8,
		QuietAfterLeave:  2 * time.Second,
		PingsBeforeStart: 3,
		ChatLines:        5,
		ChatWindow:       5 * time.Second,
		ChatMute:         15 * time.Second,
	}
}
