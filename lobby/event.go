package lobby

import (
	"time"

	"w3host/texts"
	"w3host/w3gs"
)

// ConnID is the host's name for a connection that has no pid yet.
type ConnID uint64

// Event is something that happened: one of the types of this file, or an
// Operation; Handle panics at others. An event about a pid that is not a player's
// is ignored.
type Event any

// Join is a 0x1E. The host has checked the game id and the entry key.
type Join struct {
	Conn     ConnID
	Req      w3gs.ReqJoin
	External w3gs.SockAddr // the connection's remote address
	Shared   bool          // many come from this address: a kick does not keep it out
	Banned   string        // why they are banned; empty when they are not
	Realm    string        // that the name is said to be of; empty: the LAN
	Vouched  bool          // the realm has confirmed it
}

// Vouch: the realm of a player's name has confirmed it. Before, the name counts
// for nothing: neither as the owner's nor for a reserved place.
type Vouch struct{ PID uint8 }

// Chat is a 0x28: a line, or in the lobby a request to change the sender's slot.
type Chat struct {
	PID     uint8
	Line    w3gs.Chat
	Command bool // the line is a command that its sender may give
	Trusted bool // the sender commands more than everybody does
	Urgent  bool // the command stops a countdown, which must not fail
}

// Extra is a 0x59, which clients of 1.32 send about themselves.
type Extra struct {
	PID    uint8
	Packet *w3gs.Raw
}

// MapReport is a 0x42: how much of the map the client holds.
type MapReport struct {
	PID    uint8
	Report w3gs.MapSize
}

// Progress is how far a download has come; 100 is the whole map.
type Progress struct {
	PID     uint8
	Percent uint8
}

// Pong is a 0x46 that Waited in the kernel between its arrival and now.
type Pong struct {
	PID    uint8
	Tick   uint32
	Waited time.Duration
}

// Leave is a 0x21, or a connection that broke (Lost). In the lobby a 0x21 is
// answered with 0x1B and the others are told; after the start both are the
// turn loop's business, and the event only takes the player off the list.
type Leave struct {
	PID    uint8
	Reason w3gs.LeaveReason
	Lost   bool
}

// Judge says why the teams, as they are, are too uneven for a start by itself;
// empty: they are not.
type Judge struct{ Why texts.Text }

// Doubt takes the last Judge back: more is known of the players.
type Doubt struct{}
