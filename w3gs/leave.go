package w3gs

import "fmt"

// LeaveReason is why somebody left, in 0x07, 0x21 and 0x1C.
type LeaveReason uint32

// Reasons as clients send and show them.
const (
	LeaveDisconnect    LeaveReason = 1
	LeaveLost          LeaveReason = 7
	LeaveLostBuildings LeaveReason = 8
	LeaveWon           LeaveReason = 9
	LeaveDraw          LeaveReason = 10
	LeaveObserver      LeaveReason = 11
	LeaveInvalidSave   LeaveReason = 12
	LeaveLobby         LeaveReason = 13
	LeaveGProxyFailed  LeaveReason = 100
)

// String names the reason for chat and logs.
func (r LeaveReason) String() string {
	switch r {
	case LeaveDisconnect:
		return "disconnected"
	case LeaveLost:
		return "lost"
	case LeaveLostBuildings:
		return "lost all buildings"
	case LeaveWon:
		return "won"
	case LeaveDraw:
		return "draw"
	case LeaveObserver:
		return "left as observer"
	case LeaveInvalidSave:
		return "invalid saved game"
	case LeaveLobby:
		return "left the lobby"
	case LeaveGProxyFailed:
		return "reconnection failed"
	}
	return fmt.Sprintf("reason %d", uint32(r))
}

// PlayerLeave (0x07, host to client) tells the others that somebody has gone:
// pid u8 · reason u32.
type PlayerLeave struct {
	PID    uint8
	Reason LeaveReason
}

func (p *PlayerLeave) Op() Op { return OpPlayerLeave }

func (p *PlayerLeave) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpPlayerLeave)
	return end(appendU32(append(dst, p.PID), uint32(p.Reason)), at)
}

func (p *PlayerLeave) Decode(body []byte) error {
	c := read(OpPlayerLeave, body)
	p.PID = c.u8()
	p.Reason = LeaveReason(c.u32())
	return c.done()
}

// GameOver (0x14, host to client) says that the host has left: pid u8.
type GameOver struct {
	PID uint8
}

func (p *GameOver) Op() Op { return OpGameOver }

func (p *GameOver) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpGameOver)
	return end(append(dst, p.PID), at)
}

func (p *GameOver) Decode(body []byte) error {
	c := read(OpGameOver, body)
	p.PID = c.u8()
	return c.done()
}

// LeaveAck (0x1B, host to client) answers 0x21; empty. The host closes next.
type LeaveAck struct{}

func (p *LeaveAck) Op() Op { return OpLeaveAck }

func (p *LeaveAck) AppendTo(dst []byte) []byte { return appendEmpty(dst, OpLeaveAck) }

func (p *LeaveAck) Decode(body []byte) error { return decodeEmpty(OpLeaveAck, body) }

// KickPlayer (0x1C, host to client) tells a client that it is out: reason u32.
type KickPlayer struct {
	Reason LeaveReason
}

func (p *KickPlayer) Op() Op { return OpKickPlayer }

func (p *KickPlayer) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpKickPlayer)
	return end(appendU32(dst, uint32(p.Reason)), at)
}

func (p *KickPlayer) Decode(body []byte) error {
	c := read(OpKickPlayer, body)
	p.Reason = LeaveReason(c.u32())
	return c.done()
}

// LeaveGame (0x21, client to host) says goodbye: reason u32.
type LeaveGame struct {
	Reason LeaveReason
}

func (p *LeaveGame) Op() Op { return OpLeaveGame }

func (p *LeaveGame) AppendTo(dst []byte) []byte {
	dst, at := begin(dst, OpLeaveGame)
	return end(appendU32(dst, uint32(p.Reason)), at)
}

func (p *LeaveGame) Decode(body []byte) error {
	c := read(OpLeaveGame, body)
	p.Reason = LeaveReason(c.u32())
	return c.done()
}

func appendEmpty(dst []byte, op Op) []byte {
	dst, at := begin(dst, op)
	return end(dst, at)
}

func decodeEmpty(op Op, body []byte) error {
	c := read(op, body)
	return c.done()
}
