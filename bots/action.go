package bots

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"w3host/protocol/w3gs"
)

// ActionLen is the length in bytes of a bot's shortest action: an order to a point, as a right click sends it. Its
// layout is 0x11, flags u16, order u32, two u32, x f32, y f32. In a real client the two u32 name an object; here they
// carry the action's number and the time in µs at which it was sent.
const ActionLen = 23

// orderSmart is the order that a right click gives.
const orderSmart = 0x000D0003

// padding is the one-byte action "open the skill menu", which has no effect. It fills longer actions so that the data
// stay a list of valid actions.
const padding = 0x66

// appendAction appends a packet 0x26 with one action of length bytes to dst.
func appendAction(dst []byte, scratch *[w3gs.MaxActionLen]byte, length int, number uint32, now time.Duration) []byte {
	a := append(scratch[:0], 0x11, 0x40, 0x00)
	a = binary.LittleEndian.AppendUint32(a, orderSmart)
	a = binary.LittleEndian.AppendUint32(a, number)
	a = binary.LittleEndian.AppendUint32(a, micros(now))
	a = binary.LittleEndian.AppendUint32(a, math.Float32bits(float32(number%4096)))
	a = binary.LittleEndian.AppendUint32(a, math.Float32bits(-float32(number%4096)))
	for len(a) < length {
		a = append(a, padding)
	}
	packet := w3gs.OutgoingAction{Data: a}
	return packet.AppendTo(dst)
}

// parseAction parses an action made by appendAction; ok is false for any other.
func parseAction(data []byte) (number, sent uint32, ok bool) {
	if len(data) < ActionLen || data[0] != 0x11 || binary.LittleEndian.Uint32(data[3:]) != orderSmart {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint32(data[7:]), binary.LittleEndian.Uint32(data[11:]), true
}

// micros returns now in µs. The value wraps every 71 minutes; differences stay right.
func micros(now time.Duration) uint32 { return uint32(now / time.Microsecond) }

// sinceMicros returns the time from a stamp of micros to now.
func sinceMicros(now time.Duration, stamp uint32) time.Duration {
	return time.Duration(micros(now)-stamp) * time.Microsecond
}

// gameState is a hash that replaces the game state a real client computes. Two bots have the same hash only if they saw
// the same slots, turns, actions and leaves in the same order. How the actions of a turn were split into packets does
// not matter, as in the real game.
type gameState uint64

func newGameState(t *w3gs.SlotTable, players pidSet) gameState {
	s := gameState(0).mix(uint64(t.RandomSeed)<<16 | uint64(t.Layout)<<8 | uint64(t.PlayerSlots))
	for _, slot := range t.Slots {
		slot.Download = 0 // progress is no part of the game
		var b [w3gs.SlotLen]byte
		s = s.mix(uint64(crc32.ChecksumIEEE(slot.AppendTo(b[:0]))))
	}
	for _, word := range players {
		s = s.mix(word)
	}
	return s
}

func (s gameState) mix(v uint64) gameState {
	h := (uint64(s) ^ v) * 0x9E3779B97F4A7C15
	return gameState(h ^ h>>29)
}

// turn mixes in a turn: its increment in ms and the CRC-32 of its actions.
func (s gameState) turn(incrementMillis uint16, actions uint32) gameState {
	return s.mix(uint64(w3gs.OpIncomingAction)<<56 | uint64(incrementMillis)<<32 | uint64(actions))
}

// empties mixes in the number of empty turns before a turn. Only the number counts, because a reconnect proxy may insert
// an empty turn before a leave that other players see first.
func (s gameState) empties(n uint32) gameState {
	if n == 0 {
		return s
	}
	return s.mix(uint64(w3gs.OpIncomingAction)<<48 | uint64(n))
}

// leave mixes in a packet 0x07 (a player left).
func (s gameState) leave(pid uint8, reason w3gs.LeaveReason) gameState {
	return s.mix(uint64(w3gs.OpPlayerLeave)<<56 | uint64(pid)<<32 | uint64(reason))
}

// checksum returns the hash that the bot sends when it acknowledges a turn.
func (s gameState) checksum() uint32 { return uint32(s >> 32) }

// pidSet is a set of player ids.
type pidSet [4]uint64

func (s *pidSet) add(pid uint8)      { s[pid>>6] |= 1 << (pid & 63) }
func (s *pidSet) remove(pid uint8)   { s[pid>>6] &^= 1 << (pid & 63) }
func (s *pidSet) has(pid uint8) bool { return s[pid>>6]&(1<<(pid&63)) != 0 }
func (s *pidSet) empty() bool        { return *s == pidSet{} }

// without returns the members of s that other does not have.
func (s *pidSet) without(other *pidSet) pidSet {
	out := *s
	for i := range out {
		out[i] &^= other[i]
	}
	return out
}

// list returns the members in ascending order.
func (s *pidSet) list() []uint8 {
	var out []uint8
	for pid := range 256 {
		if s.has(uint8(pid)) {
			out = append(out, uint8(pid))
		}
	}
	return out
}
