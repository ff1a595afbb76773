package lobby

import (
	"time"

	"w3host/protocol/w3gs"
)

// Sink takes what follows from a call, in order and before the call returns. Its methods must
// not call the Lobby again, except to ask; while a call is under way the answers may be those of
// a table that is half changed. A packet is the sink's: the lobby does not touch it again.
type Sink interface {
	// Send sends one packet to the players in to: encode it once.
	Send(to w3gs.PIDs, p w3gs.Packet)
	// Joined gives a joiner a pid. Later calls for this pid are about them.
	Joined(j *Join, pid uint8, slot int)
	// Rejected refuses a join: send 0x05 with the reason, flush, close.
	Rejected(j *Join, reason w3gs.RejectReason, why string)
	// NeedsMap says that a player lacks the map, and how many bytes of it they have.
	// It comes once for each player.
	NeedsMap(pid uint8, have uint32)
	// Kicked says that a player is out: flush, close. In the lobby the pid is free
	// from here on; in the game the turn loop has to take the player out. why is for the
	// records; by asked for it, and is empty when nobody did.
	Kicked(pid uint8, slot int, why, by string)
	// Left says that a player has left; the pid is free as with Kicked. lost: the connection broke.
	Left(pid uint8, reason w3gs.LeaveReason, lost bool)
	// Said is a line for the log and the command parser.
	Said(line Said)
	// Flooded says that a player talked too much and is muted for so long.
	Flooded(pid uint8, mute time.Duration)
	// Fact reports what has happened: one of the types with the method Fact.
	Fact(f Fact)
	// Started is the end of the lobby: the packets that start the game are before it.
	Started(s Started)
	// Closed is the end of a lobby that did not start. Everybody has been kicked.
	Closed(why string)
}

// Fact is a pointer to a type of this package that reports what has happened.
type Fact interface{ Fact() }

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
	// Watchers is the pid of the fake player from whose seat viewers are shown the game, 0 for none. Unwatched is the
	// reason why there is none; empty where nobody wants one.
	Watchers  uint8
	Unwatched string
}
