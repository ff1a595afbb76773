package testkit

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// Player is a Conduct that answers like every client: it has the map, answers pings, loads immediately and
// acknowledges each turn.
func Player(c *Client, b []byte) {
	Lobbyist(c, b)
	if b[1] == 0x0B {
		c.Send(Packet(0x23))
	}
}

// Lobbyist is like Player without loading, which the test controls.
func Lobbyist(c *Client, b []byte) {
	switch b[1] {
	case 0x01:
		c.Send(Packet(0x46, b[4:8]))
	case 0x3D:
		path := strings.IndexByte(string(b[8:]), 0)
		c.Send(Packet(0x42, uint32(1), byte(1), b[8+path+1:8+path+5]))
	case 0x0C:
		if b[4] != 0 || b[5] != 0 {
			c.Turns++
			c.Send(Packet(0x27, byte(0), c.Hash(c.Turns)))
		}
	}
}

// JoinPacket returns a 0x1E from 10.0.0.5, port 6112.
func JoinPacket(id, key uint32, name string) []byte {
	return Packet(0x1E, id, key, byte(0), uint16(6112), uint32(7), name, byte(1), byte(0),
		[]byte{2, 0, 0x17, 0xE0, 10, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0})
}

// ActionPacket returns a 0x26 with the given data.
func ActionPacket(data []byte) []byte { return Packet(0x26, Sum32(data), data) }

// Packet returns a packet with the given values: integers little-endian, strings with a NUL, bytes unchanged.
func Packet(op byte, values ...any) []byte {
	b := []byte{0xF7, op, 0, 0}
	for _, v := range values {
		switch v := v.(type) {
		case byte:
			b = append(b, v)
		case uint16:
			b = binary.LittleEndian.AppendUint16(b, v)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case string:
			b = append(append(b, v...), 0)
		case []byte:
			b = append(b, v...)
		default:
			panic(fmt.Sprintf("packet of %T", v))
		}
	}
	binary.LittleEndian.PutUint16(b[2:], uint16(len(b)))
	return b
}

// Sum32 returns the CRC-32 (IEEE), computed bit by bit and independently of hash/crc32.
func Sum32(data []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range data {
		crc ^= uint32(b)
		for range 8 {
			crc = crc>>1 ^ 0xEDB88320&-(crc&1)
		}
	}
	return ^crc
}

// Matches compares bytes with a pattern in hex, where ?? matches any byte.
func Matches(pattern string, b []byte) bool {
	tokens := strings.Fields(pattern)
	if len(tokens) != len(b) {
		return false
	}
	for i, token := range tokens {
		if token != "??" && !strings.EqualFold(token, hex.EncodeToString(b[i:i+1])) {
			return false
		}
	}
	return true
}

// ChatText returns the text of a 0x0F, from the lobby or the game.
func ChatText(b []byte) string {
	at := 4 + 1 + int(b[4]) + 1
	if b[at] == 0x20 {
		at += 4
	}
	return strings.TrimRight(string(b[at+1:]), "\x00")
}
