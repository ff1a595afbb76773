package lobby

import (
	"time"

	"w3host/protocol/w3gs"
)

// Sink receives the effects of a call, in order and before the call returns. Its methods must not call the Lobby, except
// for queries; their answers may be inconsistent during a call. The Sink owns the packets it receives.
type Sink interface {
	// Send sends one packet to the players in to. It should be encoded only once.
	Send(to w3gs.PIDs, p w3gs.Packet)
	// Joined reports that a joiner got a pid. Later calls for this pid are about this player.
	Joined(j *Join, pid uint8, slot int)
	// Rejected reports that a join was refused. The host sends 0x05 with the reason and closes the connection.
	Rejected(j *Join, reason w3gs.RejectReason, why string)
	// NeedsMap reports that a player lacks the map and has only so many bytes of it. It is called once per player.
	NeedsMap(pid uint8, have uint32)
	// Kicked reports that a player was removed; the host flushes and closes the connection. In the lobby the pid is free
	// now; in the game the turn loop has to remove the player. why is for records; by is the person who asked for it, or
	// empty.
	Kicked(pid uint8, slot int, why, by string)
	// Left reports that a player has left. The pid is free in the lobby. lost means that the connection broke.
	Left(pid uint8, reason w3gs.LeaveReason, lost bool)
	// Said reports a chat line, for the log and the command parser.
	Said(line Said)
	// Flooded reports that a player sent too many lines and is muted for this long.
	Flooded(pid uint8, mute time.Duration)
	// Fact reports an event: a pointer to a type with the method Fact.
	Fact(f Fact)
	// Started reports the start of the game, after the packets that start it.
	Started(s Started)
	// Closed reports the end of a lobby that did not start. All players have been kicked.
	Closed(why string)
}

// Fact is an event reported by this package, as a pointer to one of its types.
type Fact interface{ Fact() }

// Said is a chat line for the log and the command parser. Unless Muted is set, it has already been relayed to the
// players in To.
type Said struct {
	PID     uint8
	Name    string
	To      w3gs.PIDs
	Game    bool // said in the game; only then Scope is valid
	Scope   w3gs.ChatScope
	Text    string
	Muted   bool
	Command bool // copied from Chat.Command
}

// CountsChanged reports new slot counts, which must be announced. Like the next two types it is a Fact; package game
// requires the method.
type CountsChanged struct{ Counts Counts }

func (*CountsChanged) Fact()    {}
func (*CountdownStarted) Fact() {}
func (*CountdownAborted) Fact() {}

// CountdownStarted reports that the countdown began.
type CountdownStarted struct{ Seconds int }

// CountdownAborted reports that the countdown was stopped.
type CountdownAborted struct{ Why string }

// Started describes the game that starts. Players are the humans, in slot order.
type Started struct {
	Table   w3gs.SlotTable
	Players []Player
	Fakes   []Player
	Places  []Place
	HCL     string
	Extras  []*w3gs.PlayerExtra // 0x59 messages of these players, in the order in which a hosting client receives them
	// Watchers is the pid of the fake player from whose seat viewers see the game, or 0. Unwatched is the reason why
	// there is none, or empty if none is wanted.
	Watchers  uint8
	Unwatched string
}
