package lobby

import (
	"net/netip"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// ConnID is the caller's identifier of a connection that has no pid yet.
type ConnID uint64

// Join is a 0x1E, a request to join. The caller has checked the game id and the entry key.
type Join struct {
	Conn     ConnID
	Req      w3gs.ReqJoin
	External w3gs.SockAddr // remote address of the connection
	Source   netip.Addr    // address of the connection, or the network for IPv6; invalid if unknown
	Shared   bool          // many players use this address, so that rules per address do not apply
	Like     string        // name of an admin that this name looks like, or empty
	Exempt   bool          // exempt from rules about pings and names: an admin or a trusted player
	Banned   string        // why the player is banned, or empty
	Realm    string        // realm that the name claims; empty for the LAN
	Vouched  bool          // the realm has confirmed the name
	Version  w3gs.Version  // game version of the client, if known; 0 means that of the lobby
	Nameless bool          // the name is made up; set by the lobby
}

// Chat is a 0x28: a chat line or, in the lobby, a request to change the sender's slot.
type Chat struct {
	PID     uint8
	Line    w3gs.Chat
	Command bool // the line is a command that its sender may use
	Trusted bool // the sender has more rights than ordinary players
	Urgent  bool // the command stops a countdown and is exempt from the rate limit
	Private bool // no other player may see the line
}

// Operation is a change requested by an owner, an admin or the program. The caller has checked permissions. An operation
// that cannot be carried out returns a *texts.Refusal and changes nothing. Slots are indexes from 0; messages count them
// from 1.
type Operation interface {
	apply(l *Lobby) *texts.Refusal
}

// SetSlots opens or closes slots, or all unoccupied slots if Slots is nil. Players in these slots are kicked.
type SetSlots struct {
	Slots  []int
	Closed bool
}

// Swap exchanges two slots. Properties fixed by the map stay with the slot.
type Swap struct{ A, B int }

// Shuffle exchanges the slots of the human players at random. Teams stay with the slots.
type Shuffle struct{}

// Arrange assigns the slots of the playing humans, in slot order, to the players with these pids. Teams stay with the
// slots.
type Arrange struct{ PIDs []uint8 }

// Computer puts a computer into a slot or changes the one in it. A player in the slot is kicked.
type Computer struct {
	Slot int
	AI   w3gs.AI
}

// Set changes an attribute of the player or computer in a slot, like a 0x28 of a player: the team (with custom forces
// the occupant moves to the first open slot of that force), the colour, the race without w3gs.RaceSelectable, or the
// handicap.
type Set struct {
	Slot  int
	What  w3gs.ChatFlag
	Value uint8
}

type Observe struct{ PID uint8 }

// Kick removes a player from the lobby or the game.
type Kick struct {
	PID       uint8
	Why       texts.Text
	By        string // name of the person who asked for it, or empty
	CloseSlot bool
	KeepOut   bool // exclude the player for Admission.KickCooldown
}

// SetHostMessages sets whether a player receives the host's lines to everybody.
type SetHostMessages struct {
	PID uint8
	Off bool
}

// Ignore hides the lines of players with these names from a player, or shows them again.
type Ignore struct {
	PID   uint8
	Names []string
	Off   bool
}

// ChatFilter selects the players whose chat lines a player sees.
type ChatFilter uint8

// The values of ChatFilter.
const (
	ChatFromAll    ChatFilter = iota
	ChatFromAllies            // own team and observers
	ChatFromNobody
)

// SetChatFilter sets whose lines a player sees from now on.
type SetChatFilter struct {
	PID  uint8
	From ChatFilter
}

// SetLanguage sets the language of the host's lines to a player.
type SetLanguage struct {
	PID      uint8
	Language texts.Language
}

// Hold reserves places by name, or releases them. Kicked players among them may join again.
type Hold struct {
	Names   []string
	Present bool // for all present players
	Spare   bool // also exempt these players from limits of pings and ratings and from votes
	Off     bool
}

// SetVersion sets the game version of players who join under this name from now on. It overrides Join.Version.
type SetVersion struct {
	Name    string
	Version w3gs.Version
}

// LockJoins restricts the lobby to players with a reserved place, or opens it again.
type LockJoins struct{ Off bool }

// FakePlayer adds fake players, which hold a slot and never act, in the first open slots.
type FakePlayer struct {
	Count int
	All   bool // as many as possible
}

// DeleteFake removes one fake player, or all if PID is 0.
type DeleteFake struct{ PID uint8 }

// HCL sets the mode string that the map reads at the start, or "" for none. The players it needs may join later.
type HCL struct{ Text string }

// SetOwner sets the owner, who need not be present; "" means no owner.
type SetOwner struct{ Player string }

// Start begins the countdown. Force skips the checks, Now also skips the countdown.
type Start struct{ Force, Now bool }

// Abort stops the countdown and turns the automatic start off.
type Abort struct{}

// Ready sets whether a player is ready to start.
type Ready struct {
	PID uint8
	Off bool
}

// AutoStart sets when the lobby starts automatically: with this many human players, or when no slot is open. Without
// both it is off.
type AutoStart struct {
	Players  int
	Full     bool
	Hold     time.Duration // how long the condition must hold
	Ready    bool          // only if all players are ready
	Balanced bool          // only if BalanceResult found the teams even
}

// Say sends a line of the host to some players, or to all if To is 0. Long texts are split.
type Say struct {
	To   w3gs.PIDs
	Text texts.Text
}

// Mute mutes or unmutes a player.
type Mute struct {
	PID uint8
	Off bool
}

// MuteAll mutes or unmutes public chat. Players of a team can still talk to each other.
type MuteAll struct{ Off bool }

// Shutdown closes a lobby that has not started. All players are told the reason and kicked.
type Shutdown struct{ Why texts.Text }
