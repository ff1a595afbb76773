package lobby

import (
	"net/netip"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// ConnID is the host's name for a connection that has no pid yet.
type ConnID uint64

// Join is a 0x1E. The host has checked the game id and the entry key.
type Join struct {
	Conn     ConnID
	Req      w3gs.ReqJoin
	External w3gs.SockAddr // the connection's remote address
	Source   netip.Addr    // of the connection: the address, or the network of IPv6; invalid: not known
	Shared   bool          // many come from this address: a kick does not keep it out
	Like     string        // the name of an admin that theirs is taken for; empty: none
	Exempt   bool          // from what rules do about pings and names: an admin, or trusted by one
	Banned   string        // why they are banned; empty when they are not
	Realm    string        // that the name is said to be of; empty: the LAN
	Vouched  bool          // the realm has confirmed it
	Version  w3gs.Version  // of the game, where it is known; 0: that of the lobby
	Nameless bool          // the name is nobody's; the lobby sets it
}

// Chat is a 0x28: a line, or in the lobby a request to change the sender's slot.
type Chat struct {
	PID     uint8
	Line    w3gs.Chat
	Command bool // the line is a command that its sender may give
	Trusted bool // the sender commands more than everybody does
	Urgent  bool // the command stops a countdown, which must not fail
	Private bool // nobody else may read the line
}

// Operation is something that an owner, an admin or the program asks for. Who may
// ask is not decided here. One that cannot be done gives a *texts.Refusal and
// changes nothing. Slots are indexes into the table, from 0; messages count them
// from 1.
type Operation interface {
	apply(l *Lobby) *texts.Refusal
}

// SetSlots opens slots, or closes them; no Slots are all that nobody is in. A
// player in one of them is kicked.
type SetSlots struct {
	Slots  []int
	Closed bool
}

// Swap lets two slots change places; properties that the map fixes stay with the place.
type Swap struct{ A, B int }

// Shuffle puts the playing humans into their places at random. Teams stay with the
// places.
type Shuffle struct{}

// Arrange gives the places of the playing humans, in slot order, to the players
// of these pids. Teams stay with the places.
type Arrange struct{ PIDs []uint8 }

// Computer puts a computer into a slot, or changes one. A player there is
// kicked.
type Computer struct {
	Slot int
	AI   w3gs.AI
}

// Set changes an attribute of the player or computer in a slot, as a 0x28 asks for
// its sender: the team (in custom forces the slot then moves to the first open one
// of it), the colour, the race without w3gs.RaceSelectable, or the handicap.
type Set struct {
	Slot  int
	What  w3gs.ChatFlag
	Value uint8
}

// Observe moves a player to the observers.
type Observe struct{ PID uint8 }

// Kick removes a player, also from a game.
type Kick struct {
	PID       uint8
	Why       texts.Text
	By        string // who asks for it; empty when no person does
	CloseSlot bool
	KeepOut   bool // for Config.KickCooldown
}

// Hear says whether a player gets the lines of the host to everybody.
type Hear struct {
	PID uint8
	Off bool
}

// Ignore keeps a player from reading the lines of players of these names, or lets them
// read it again.
type Ignore struct {
	PID   uint8
	Names []string
	Off   bool
}

// Ears are the players whose lines a player reads.
type Ears uint8

// Ears.
const (
	HearAll    Ears = iota
	HearAllies      // and observers
	HearNobody
)

// Listen sets the players whose lines a player reads from here on.
type Listen struct {
	PID  uint8
	Ears Ears
}

// SetLanguage chooses the language of the host's lines to a player.
type SetLanguage struct {
	PID      uint8
	Language texts.Language
}

// Hold reserves places by name, or takes that back. A kicked player may then come
// back.
type Hold struct {
	Names   []string
	Present bool // for all who are in
	Spare   bool // rules about pings and ratings, and votes, spare these players, too
	Off     bool
}

// SetVersion says which version of the game a player has who joins under this name from
// now on. It overrides the version of a Join.
type SetVersion struct {
	Name    string
	Version w3gs.Version
}

// LockJoins admits only those with a held place, or everybody again.
type LockJoins struct{ Off bool }

// FakePlayer adds slot holders that never act, in the first open slots.
type FakePlayer struct {
	Count int
	All   bool // as many as there is room for
}

// DeleteFake removes one fake player, or all of them with pid 0.
type DeleteFake struct{ PID uint8 }

// HCL sets the mode string that the map reads at the start; empty for none. It may
// be set before all players are in.
type HCL struct{ Text string }

// SetOwner names the owner, who need not be in; empty for nobody.
type SetOwner struct{ Player string }

// Start begins the countdown. Force skips the checks, Now skips the count.
type Start struct{ Force, Now bool }

// Abort stops the countdown, and a start by itself with it.
type Abort struct{}

// Ready says whether a player is ready to start.
type Ready struct {
	PID uint8
	Off bool
}

// AutoStart sets when the lobby starts by itself: with so many humans, or when
// no slot is open. Neither turns it off.
type AutoStart struct {
	Players  int
	Full     bool
	Hold     time.Duration // the condition must have held for so long
	Ready    bool          // only when everybody says so
	Balanced bool          // only when a Judge has said that the teams are even
}

// Say lets the host speak, to some players or, with an empty To, to all. Long
// texts are split.
type Say struct {
	To   w3gs.PIDs
	Text texts.Text
}

// Mute stops or restores the relay of a player's lines.
type Mute struct {
	PID uint8
	Off bool
}

// MuteAll stops or restores lines to everybody; players of one team still hear
// each other.
type MuteAll struct{ Off bool }

// Shutdown ends a lobby that has not started. Everybody gets the reason and is kicked.
type Shutdown struct{ Why texts.Text }
