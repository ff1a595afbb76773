// Package gproxy implements the GProxy++ extension for a host: its packets, and
// the counts and buffers by which another connection can replace that of a player.
//
// Packets of the extension and of the game share a connection; the first byte tells
// them apart.
package gproxy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"w3host/protocol/w3gs"
)

// Magic is the first byte of every packet of the extension.
const Magic = 0xF8

// maxFrame bounds a packet; the longest known one has 17 bytes.
const maxFrame = 64

// Op is the second byte of a packet.
type Op uint8

// Opcodes.
const (
	OpInit      Op = 1
	OpReconnect Op = 2
	OpAck       Op = 3
	OpReject    Op = 4
	OpExtended  Op = 50
	OpChangeKey Op = 51

	// OpList and OpListed are w3host's own; see docs/play.md.
	OpList   Op = 60
	OpListed Op = 61
)

// Reason is why a host rejects a RECONNECT. A proxy gives up at any of them.
type Reason uint32

// Reasons.
const (
	Invalid  Reason = 1 // an impossible count
	NotFound Reason = 2 // no player has this id and key
)

// Faults of bytes. Test with errors.Is.
var (
	ErrLength = errors.New("a packet of 0xF8 with a wrong length")
	ErrOp     = errors.New("an unknown opcode of 0xF8")
)

type (
	// Init asks for the extension: F8 01 08 00 · version u32, client to host.
	// Proxies of version 2 and more know SUPPORT_EXTENDED.
	Init struct{ Version uint32 }

	// Offer answers an Init: F8 01 0C 00 · port u16 · pid u8 · key u32 · empty
	// actions u8, host to client.
	Offer struct {
		Port    uint16 // for the new connection
		PID     uint8
		Key     uint32
		Empties uint8
	}

	// Reconnect is the first packet of a new connection: F8 02 0D 00 · pid u8 ·
	// key u32 · last packet u32 [· game id u32], client to host.
	Reconnect struct {
		PID    uint8
		Key    uint32
		Last   uint32
		GameID uint32 // 0: not sent
	}

	// Count is F8 02 08 00 · last packet u32 as the host's answer to a Reconnect,
	// and F8 03 08 00 · last packet u32 as an ACK, both ways.
	Count struct {
		ID   Op // OpReconnect or OpAck
		Last uint32
	}

	// Reject is F8 04 08 00 · reason u32, host to client.
	Reject struct{ Reason Reason }

	// Extended is F8 32 08 00 · seconds u32 [· game id u32], both ways: how long
	// the host waits for a new connection, and that the client can wait.
	Extended struct {
		Seconds uint32
		GameID  uint32 // 0: not sent
	}

	// ChangeKey is F8 33 08 00 · key u32, both ways.
	ChangeKey struct{ Key uint32 }

	// List asks a host for its open lobbies: F8 3C 08 00 · format u32, client to host,
	// the first packet of a connection. The answer is a 0x30 for each lobby and version of the
	// game, then a Listed, and the end of the connection.
	List struct{ Format uint32 }

	// Listed ends the answer to a List: F8 3D 0C 00 · state u32 · seconds u32, host to
	// client.
	Listed struct {
		State   ListState
		Seconds uint32 // until the client should ask again
	}
)

// ListFormat is the format of an answer that clients ask for.
const ListFormat = 1

// ListState is whether a List was answered.
type ListState uint32

// States.
const (
	AllListed         ListState = iota // all open lobbies that are public
	ListsOff                           // this host does not answer the question
	ListsBusy                          // it was asked too often
	ListFormatUnknown                  // it does not know the format
)

func (p Init) AppendTo(dst []byte) []byte      { return u32(head(dst, OpInit, 8), p.Version) }
func (p Count) AppendTo(dst []byte) []byte     { return u32(head(dst, p.ID, 8), p.Last) }
func (p Reject) AppendTo(dst []byte) []byte    { return u32(head(dst, OpReject, 8), uint32(p.Reason)) }
func (p ChangeKey) AppendTo(dst []byte) []byte { return u32(head(dst, OpChangeKey, 8), p.Key) }
func (p List) AppendTo(dst []byte) []byte      { return u32(head(dst, OpList, 8), p.Format) }

func (p Offer) AppendTo(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint16(head(dst, OpInit, 12), p.Port)
	return append(u32(append(dst, p.PID), p.Key), p.Empties)
}

func (p Reconnect) AppendTo(dst []byte) []byte {
	dst = u32(append(head(dst, OpReconnect, 13), p.PID), p.Key)
	return gameID(u32(dst, p.Last), 13, p.GameID)
}

func (p Extended) AppendTo(dst []byte) []byte {
	return gameID(u32(head(dst, OpExtended, 8), p.Seconds), 8, p.GameID)
}

func (p Listed) AppendTo(dst []byte) []byte {
	return u32(u32(head(dst, OpListed, 12), uint32(p.State)), p.Seconds)
}

func head(dst []byte, op Op, n byte) []byte { return append(dst, Magic, byte(op), n, 0) }

func u32(dst []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(dst, v) }

// gameID appends a game id, unless it is 0, to a packet of n bytes.
func gameID(packet []byte, n int, id uint32) []byte {
	if id == 0 {
		return packet
	}
	packet[len(packet)-n+2] += 4
	return u32(packet, id)
}

// Next cuts the first packet off buf, of the game or of this extension, as
// w3gs.Next does; most bounds a packet of the game.
func Next(buf []byte, most int) (frame, rest []byte, err error) {
	if len(buf) == 0 || buf[0] != Magic {
		return w3gs.Next(buf, most)
	}
	if len(buf) < w3gs.HeaderSize {
		return nil, buf, nil
	}
	switch n := int(binary.LittleEndian.Uint16(buf[2:])); {
	case n < w3gs.HeaderSize || n > maxFrame:
		return nil, buf, fmt.Errorf("%w: %d bytes", ErrLength, n)
	case len(buf) < n:
		return nil, buf, nil
	default:
		return buf[:n:n], buf[n:], nil
	}
}

// lengths are those of whole packets, by the opcodes that Decode knows.
var lengths = map[Op][]int{
	OpInit: {8}, OpReconnect: {13, 17}, OpAck: {8}, OpExtended: {8, 12}, OpChangeKey: {8}, OpList: {8}, OpListed: {12},
}

// Decode decodes a packet of a client: an Init, Reconnect, Count, Extended, ChangeKey or
// List; and the Listed of a host. An unknown opcode is ErrOp; the packet may be skipped.
func Decode(frame []byte) (any, error) {
	op := Op(frame[1])
	if lengths[op] == nil {
		return nil, fmt.Errorf("%w: %d", ErrOp, op)
	}
	if !slices.Contains(lengths[op], len(frame)) {
		return nil, fmt.Errorf("%w: opcode %d with %d bytes", ErrLength, op, len(frame))
	}
	var body [maxFrame]byte // a game id that was not sent is 0
	copy(body[:], frame[w3gs.HeaderSize:])
	field := func(at int) uint32 { return binary.LittleEndian.Uint32(body[at:]) }
	switch op {
	case OpInit:
		return Init{field(0)}, nil
	case OpReconnect:
		return Reconnect{body[0], field(1), field(5), field(9)}, nil
	case OpAck:
		return Count{op, field(0)}, nil
	case OpExtended:
		return Extended{field(0), field(4)}, nil
	case OpChangeKey:
		return ChangeKey{field(0)}, nil
	case OpList:
		return List{field(0)}, nil
	default: // OpListed
		return Listed{ListState(field(0)), field(4)}, nil
	}
}
