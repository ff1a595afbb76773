// Package gproxy implements the host side of GProxy++, the extension with which a player's reconnect proxy
// resumes a game on a new connection.
//
// It encodes and decodes the extension's packets; Line counts and buffers a player's packets for
// retransmission. Extension packets (first byte 0xF8) share a connection with game packets (0xF7); Next
// splits both. Package host uses it for players' connections, package lan for listing remote lobbies. It does
// no I/O and does not decide who may reconnect.
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

// maxFrame limits the length of an extension packet; the longest known one has 17 bytes.
const maxFrame = 64

// Op is the opcode of an extension packet: its second byte.
type Op uint8

// Opcodes of the extension.
const (
	OpInit      Op = 1
	OpReconnect Op = 2
	OpAck       Op = 3
	OpReject    Op = 4
	OpExtended  Op = 50
	OpChangeKey Op = 51

	// OpList and OpListed are additions of w3host; see docs/play.md.
	OpList   Op = 60
	OpListed Op = 61
)

// Reason is the reason code of a rejected RECONNECT. Proxies give up on any of them.
type Reason uint32

// Reason codes.
const (
	Invalid  Reason = 1 // impossible packet count
	NotFound Reason = 2 // no player has this id and key
)

// Errors of Decode and Next; test for them with errors.Is.
var (
	ErrLength = errors.New("wrong length of a 0xF8 packet")
	ErrOp     = errors.New("unknown opcode of a 0xF8 packet")
)

type (
	// Init announces the proxy: F8 01 08 00 · version u32, client to host. Proxies from version 2 on support
	// SUPPORT_EXTENDED.
	Init struct{ Version uint32 }

	// Offer answers an Init with the credentials for a reconnect: F8 01 0C 00 · port u16 · pid u8 · key u32 ·
	// empty actions u8, host to client.
	Offer struct {
		Port    uint16 // TCP port for the new connection
		PID     uint8
		Key     uint32
		Empties uint8
	}

	// Reconnect is the first packet of a new connection: F8 02 0D 00 · pid u8 · key u32 · received packets
	// u32 [· game id u32], client to host.
	Reconnect struct {
		PID    uint8
		Key    uint32
		Last   uint32
		GameID uint32 // 0 if absent
	}

	// Count tells the other side how many packets were received: F8 02 08 00 · packets u32 as the host's
	// answer to a Reconnect, F8 03 08 00 · packets u32 as an ACK in either direction.
	Count struct {
		ID   Op // OpReconnect or OpAck
		Last uint32
	}

	// Reject refuses a Reconnect: F8 04 08 00 · reason u32, host to client.
	Reject struct{ Reason Reason }

	// Extended is SUPPORT_EXTENDED: F8 32 08 00 · seconds u32 [· game id u32]. The host sends how long it
	// waits for a new connection; the client answers that it can wait without empty actions.
	Extended struct {
		Seconds uint32
		GameID  uint32 // 0 if absent
	}

	// ChangeKey replaces the reconnect key: F8 33 08 00 · key u32, both directions.
	ChangeKey struct{ Key uint32 }

	// List asks for the host's open lobbies: F8 3C 08 00 · format u32, client to host, as the first packet of
	// a connection. The host answers with a 0x30 for each lobby and game version and a Listed, then closes
	// the connection.
	List struct{ Format uint32 }

	// Listed ends the answer to a List: F8 3D 0C 00 · state u32 · seconds u32, host to client.
	Listed struct {
		State   ListState
		Seconds uint32 // delay before the client should ask again
	}
)

// ListFormat is the answer format that clients request in a List.
const ListFormat = 1

// ListState is the result of a List request.
type ListState uint32

// Results of a List request.
const (
	AllListed         ListState = iota // all public lobbies were listed
	ListsOff                           // the host does not list lobbies
	ListsBusy                          // the client asked too often
	ListFormatUnknown                  // the host does not support the requested format
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

// gameID appends a non-zero game id to a packet of n bytes and adjusts its length field.
func gameID(packet []byte, n int, id uint32) []byte {
	if id == 0 {
		return packet
	}
	packet[len(packet)-n+2] += 4
	return u32(packet, id)
}

// Next splits the first packet off buf, of the game or of the extension, like w3gs.Next. most limits the
// length of game packets.
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

// lengths lists the valid packet lengths, header included, of the opcodes that Decode knows.
var lengths = map[Op][]int{
	OpInit: {8}, OpReconnect: {13, 17}, OpAck: {8}, OpExtended: {8, 12}, OpChangeKey: {8}, OpList: {8}, OpListed: {12},
}

// Decode decodes a client's packet (Init, Reconnect, Count, Extended, ChangeKey or List) or a host's Listed.
// It returns ErrOp for an unknown opcode; the caller may skip that packet.
func Decode(frame []byte) (any, error) {
	op := Op(frame[1])
	if lengths[op] == nil {
		return nil, fmt.Errorf("%w: %d", ErrOp, op)
	}
	if !slices.Contains(lengths[op], len(frame)) {
		return nil, fmt.Errorf("%w: opcode %d with %d bytes", ErrLength, op, len(frame))
	}
	var body [maxFrame]byte // zero-padded, so that an absent game id reads as 0
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
