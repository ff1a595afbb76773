package w3gs

import "fmt"

// LeaveReason is the reason code for leaving in 0x07, 0x21 and 0x1C.
type LeaveReason uint32

// Reason codes that clients send and display.
const (
	LeaveDisconnect    LeaveReason = 1
	LeaveLost          LeaveReason = 7
	LeaveLostBuildings LeaveReason = 8
	LeaveWon           LeaveReason = 9
	LeaveDraw          LeaveReason = 10
	LeaveObserver      LeaveReason = 11
	LeaveInvalidSave   LeaveReason = 12
	LeaveLobby         LeaveReason = 13
	LeaveGProxyFailed  LeaveReason = 100 // sent by a GProxy++ whose client ended without a leave packet
)

var leaveReasons = map[LeaveReason]string{
	LeaveDisconnect:    "disconnected",
	LeaveLost:          "lost",
	LeaveLostBuildings: "lost all buildings",
	LeaveWon:           "won",
	LeaveDraw:          "draw",
	LeaveObserver:      "left as observer",
	LeaveInvalidSave:   "invalid saved game",
	LeaveLobby:         "left the lobby",
	LeaveGProxyFailed:  "reconnection failed",
}

// String returns the reason as text for chat and logs.
func (r LeaveReason) String() string {
	if name, ok := leaveReasons[r]; ok {
		return name
	}
	return fmt.Sprintf("reason %d", uint32(r))
}

// PlayerLeave (0x07, host to client) tells the other clients that a player has left: pid u8 · reason u32.
type PlayerLeave struct {
	PID    uint8
	Reason LeaveReason
}

func (p *PlayerLeave) Op() Op                   { return OpPlayerLeave }
func (p *PlayerLeave) AppendTo(b []byte) []byte { return p.fields(begin(b, OpPlayerLeave)).end() }
func (p *PlayerLeave) Decode(b []byte) error    { return p.fields(read(b, OpPlayerLeave)).done() }
func (p *PlayerLeave) fields(c *codec) *codec   { return c.u8(&p.PID).u32((*uint32)(&p.Reason)) }

// GameOver (0x14, host to client) announces that the host has left: pid u8.
type GameOver struct {
	PID uint8
}

func (p *GameOver) Op() Op                   { return OpGameOver }
func (p *GameOver) AppendTo(b []byte) []byte { return p.fields(begin(b, OpGameOver)).end() }
func (p *GameOver) Decode(b []byte) error    { return p.fields(read(b, OpGameOver)).done() }
func (p *GameOver) fields(c *codec) *codec   { return c.u8(&p.PID) }

// LeaveAck (0x1B, host to client) answers 0x21 with an empty payload; the host then closes the connection.
type LeaveAck struct{ bare }

func (p *LeaveAck) Op() Op                   { return OpLeaveAck }
func (p *LeaveAck) AppendTo(b []byte) []byte { return p.fields(begin(b, OpLeaveAck)).end() }
func (p *LeaveAck) Decode(b []byte) error    { return p.fields(read(b, OpLeaveAck)).done() }

// KickPlayer (0x1C, host to client) tells a client that it has been removed: reason u32.
type KickPlayer struct {
	Reason LeaveReason
}

func (p *KickPlayer) Op() Op                   { return OpKickPlayer }
func (p *KickPlayer) AppendTo(b []byte) []byte { return p.fields(begin(b, OpKickPlayer)).end() }
func (p *KickPlayer) Decode(b []byte) error    { return p.fields(read(b, OpKickPlayer)).done() }
func (p *KickPlayer) fields(c *codec) *codec   { return c.u32((*uint32)(&p.Reason)) }

// LeaveGame (0x21, client to host) announces that the player leaves: reason u32.
type LeaveGame struct {
	Reason LeaveReason
}

func (p *LeaveGame) Op() Op                   { return OpLeaveGame }
func (p *LeaveGame) AppendTo(b []byte) []byte { return p.fields(begin(b, OpLeaveGame)).end() }
func (p *LeaveGame) Decode(b []byte) error    { return p.fields(read(b, OpLeaveGame)).done() }
func (p *LeaveGame) fields(c *codec) *codec   { return c.u32((*uint32)(&p.Reason)) }
