package lobby

import (
	"time"

	"w3host/protocol/w3gs"
)

// Effect is something the host must do or may want to record, in the order
// given: one of the types of this file, or a *texts.Refusal. A packet in an effect
// is the host's: the lobby does not touch it again.
type Effect any

// Send sends a packet to one player.
type Send struct {
	PID    uint8
	Packet w3gs.Packet
}

// Broadcast sends one packet to several players: encode it once.
type Broadcast struct {
	To     w3gs.PIDs
	Packet w3gs.Packet
}

// Rejected refuses a join: send 0x05 with the reason, flush, close.
type Rejected struct {
	Conn   ConnID
	Reason w3gs.RejectReason
	Name   string
	Why    string
}

// Joined gives a connection its pid. Later effects for this pid go to it.
type Joined struct {
	Conn ConnID
	PID  uint8
	Slot int
	Name string
}

// NeedsMap says that a player lacks the map, and how many bytes of it they have.
// It comes once for each player.
type NeedsMap struct {
	PID  uint8
	Have uint32
}

// Kicked says that a player is out: flush, close. In the lobby the pid is free
// from here on, so the host forgets the connection's pid at once; in the game the
// turn loop has to take the player out. The packets that tell them and the others
// are effects of their own.
type Kicked struct {
	PID  uint8
	Slot int
	Name string
	Why  string // in words, for the records: "kicked: rude"
	By   string // who asked for it; empty when nobody did
}

// Left says that a player has left; the pid is free as with Kicked.
type Left struct {
	PID    uint8
	Slot   int
	Name   string
	Reason w3gs.LeaveReason
	Lost   bool // the connection broke
}

// Said is a line for the log and the command parser. It has been relayed
// already, unless Muted; To are the players who heard it.
type Said struct {
	PID     uint8
	Name    string
	To      w3gs.PIDs
	Game    bool // in the game; Scope counts only then
	Scope   w3gs.ChatScope
	Text    string
	Muted   bool
	Command bool // as the event had it
}

// Flooded says that a player talked too much and is muted for a while.
type Flooded struct {
	PID  uint8
	Name string
	For  time.Duration
}

// CountsChanged says that other numbers are to be advertised. It and the next two only
// report; their method Fact is for the interface of game.
type CountsChanged struct{ Counts Counts }

func (*CountsChanged) Fact()    {}
func (*CountdownStarted) Fact() {}
func (*CountdownAborted) Fact() {}

// CountdownStarted says that the count began.
type CountdownStarted struct{ Seconds int }

// CountdownAborted says that the count was stopped.
type CountdownAborted struct{ Why string }

// Started is the end of the lobby: the packets that start the game are before
// it. Players are the humans, in slot order.
type Started struct {
	Table   w3gs.SlotTable
	Players []Player
	Fakes   []Player
	Places  []Place
	HCL     string
	Extras  []*w3gs.PlayerExtra // of these players, in the order in which a hosting client hears them
}

// Closed is the end of a lobby that did not start. Everybody has been kicked.
type Closed struct{ Why string }
