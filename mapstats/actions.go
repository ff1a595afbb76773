package mapstats

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// report is one action 0x6B: file cstr · mission cstr · key cstr · value u32.
type report struct {
	file, mission, key string
	value              uint32
}

const (
	opSyncInteger = 0x6B
	maxText       = 255 // of one string; the game's own limit is lower
)

// fixed is the length of each action without strings and lists, its id
// included, as replays of 1.14b to 1.28 show it; docs/replays.md has the sources.
// 0: not fixed, or unknown.
var fixed = [256]uint8{
	0x01: 1, 0x02: 1, 0x03: 2, 0x04: 1, 0x05: 1, 0x07: 5, // pause, speed, saved
	0x10: 15, 0x11: 23, 0x12: 31, 0x13: 39, 0x14: 44, // orders
	0x18: 3, 0x19: 13, 0x1A: 1, 0x1B: 10, 0x1C: 10, 0x1D: 9, 0x1E: 6, 0x1F: 6, // selection, queues
	0x20: 1, 0x21: 9, 0x22: 1, 0x23: 1, 0x24: 1, 0x25: 1, 0x26: 1, 0x27: 6, 0x28: 6, 0x29: 1, // cheats
	0x2A: 1, 0x2B: 1, 0x2C: 1, 0x2D: 6, 0x2E: 5, 0x2F: 1, 0x30: 1, 0x31: 1, 0x32: 1,
	0x50: 6, 0x51: 10, // alliance, resources
	0x61: 1, 0x62: 13, 0x63: 9, 0x64: 9, 0x65: 9, 0x66: 1, 0x67: 1, 0x68: 13, 0x69: 17, 0x6A: 17, // escape, triggers, trackables, menus, signal
	0x75: 2,
}

// reports walks a player's action data and yields its 0x6B. It ends at the
// first action whose length is not known: what follows cannot be trusted.
func reports(data []byte) iter.Seq[report] {
	return func(yield func(report) bool) {
		for len(data) > 0 {
			if data[0] == opSyncInteger {
				r, n := readReport(data)
				if n == 0 || !yield(r) {
					return
				}
				data = data[n:]
				continue
			}
			n := length(data)
			if n == 0 || n > len(data) {
				return
			}
			data = data[n:]
		}
	}
}

// length is that of the action at the start of data; 0 when it is not known or
// cut short.
func length(data []byte) int {
	switch op := data[0]; op {
	case 0x06: // save game: name cstr
		return spanned(data, 1, 1, 0)
	case 0x16, 0x17: // selection, hotkey: mode u8 · n u16 · n × 8
		if len(data) < 4 {
			return 0
		}
		return 4 + 8*int(binary.LittleEndian.Uint16(data[2:]))
	case 0x60: // chat trigger: u32 · u32 · text cstr
		return spanned(data, 9, 1, 0)
	case 0x6C: // sync stored real: three strings, four bytes
		return spanned(data, 1, 3, 4)
	case 0x6D: // sync stored boolean: three strings, a byte
		return spanned(data, 1, 3, 1)
	case 0x70, 0x71, 0x72, 0x73: // clear a stored value: three strings
		return spanned(data, 1, 3, 0)
	default:
		return int(fixed[op])
	}
}

// spanned is the length of an action with n strings between head and tail
// bytes; 0 when one of them does not end.
func spanned(data []byte, head, n, tail int) int {
	at := head
	for range n {
		if at > len(data) {
			return 0
		}
		end := bytes.IndexByte(data[at:], 0)
		if end < 0 || end > maxText {
			return 0
		}
		at += end + 1
	}
	return at + tail
}

func readReport(data []byte) (r report, n int) {
	at := 1
	for _, s := range []*string{&r.file, &r.mission, &r.key} {
		end := bytes.IndexByte(data[at:], 0)
		if end < 0 || end > maxText {
			return report{}, 0
		}
		*s = string(data[at : at+end])
		at += end + 1
	}
	if len(data)-at < 4 {
		return report{}, 0
	}
	r.value = binary.LittleEndian.Uint32(data[at:])
	return r, at + 4
}
