package lobby

import (
	"strings"
	"time"

	"w3host/texts"
	"w3host/w3gs"
)

// defaultVirtualHost is the name that host lines carry in the lobby. With a
// colour code before it, it would be longer than the 15 bytes of a name.
const defaultVirtualHost = "w3host"

// Config is what a lobby is made from. Start from Defaults: New takes every
// field as it stands, except where a field says otherwise.
type Config struct {
	// Of the map.
	Slots       []w3gs.Slot
	Layout      w3gs.Layout
	PlayerSlots uint8 // start spots; 0 counts the slots that are not observers'
	RandomSeed  uint32
	MapCheck    w3gs.MapCheck // the 0x3D of every joiner; Size is what a client must hold

	// Of the game.
	MaxPID        uint8 // 12, or 24 from 1.29; also how many teams and colours there are
	Observers     bool  // players may move to the observer team
	RandomRaces   bool  // in melee games nobody chooses a race
	JoinExtra     int   // zero bytes behind the name in a 0x06
	RelayExtra    bool  // clients send 0x59, which goes to everybody
	HideAddresses bool  // addresses in 0x06 are zero: no player learns another's IP
	HCL           string
	Places        []Place // of the game that is played again, one for each of Slots; else none

	// What the host says.
	VirtualHost string   // speaks for the host; at most 15 bytes, colour codes included; empty: a player's pid does
	Welcome     []string // to each joiner, a line each
	Language    texts.Language
	Trigger     string // begins a command, for the lines that speak of commands

	// Who may join, and who owns the lobby. The owner may be away: see Lobby.StandIn.
	Reserved     []string // names that displace the latest unreserved joiner of a full lobby
	Owner        string
	OwnerRealm   string        // must vouch for the owner's name; empty: the LAN
	OwnerFirst   bool          // an ownerless lobby goes to whoever has been in longest
	KickCooldown time.Duration // a kick keeps its victim out for so long, by name and address
	SameAddress  SameAddress   // addresses that many share are left alone
	PingLimit    time.Duration // who has a longer round trip is put out; 0: no limit

	// What starts the countdown. MinPlayers humans are needed by any start that is
	// not forced.
	AutoStart                         int  // so many humans; 0: off
	AutoStartFull                     bool // no slot is open
	AutoStartReady, AutoStartBalanced bool // not before all are ready, the teams are even
	MinPlayers                        int
	StartAfter                        time.Duration // MinPlayers have been in for so long; 0: off
	QuietAfterLeave                   time.Duration // how long after a leave an unforced start is refused
	PingsBeforeStart                  int           // round trips of each player that a start by hand wants

	// The lobby closes when nobody in it has done anything for IdleAfter, when all
	// who ever were in are gone for AbandonedAfter, and when its owner is in and has
	// done nothing for OwnerAFKAfter; 0 is never.
	IdleAfter, AbandonedAfter, OwnerAFKAfter time.Duration

	Countdown       int // lines, a CountdownStep each
	CountdownStep   time.Duration
	CountdownGoesOn bool // when somebody joins, or leaves MinPlayers behind

	PingEvery     time.Duration // between two 0x01 to everybody; 0: none
	TableEvery    time.Duration // at least, between two slot tables; a join needs its table at once
	ProgressEvery time.Duration // the same where only downloads have changed
	SlotRequests  int           // changes of their slot that a player may ask for in a second, twice that at once; 0: no limit

	// A player who says ChatLines lines within ChatWindow is muted for ChatMute.
	ChatLines            int // 0: no limit
	ChatWindow, ChatMute time.Duration
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
		JoinExtra:        1,
		Trigger:          "!",
		KickCooldown:     time.Minute,
		VirtualHost:      defaultVirtualHost,
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
