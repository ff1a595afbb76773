package replay

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// Action is one action of a command block.
type Action struct {
	ID    byte   // as 1.14b to 2.0.1 number them
	Data  []byte // with the ID as it is in the file
	Known bool   // false: the rest of the block, from an ID or a length that is not known
}

// Rules are what the decoding of actions depends on.
type Rules struct {
	Game
	Late bool // 2.0.2 and later
}

// Counted tells that readers count the action: what a player did, and what a map
// stored. Pauses, speed keys, saves, cheats, alliances, triggers and the
// heartbeats of 1.32 are left out, as in w3gjs.
func (a Action) counted() bool {
	switch id := a.ID; {
	case !a.Known:
		return false
	case id == 0x03, id >= 0x10 && id <= 0x1F, id == 0x51, id == 0x61, id >= 0x64 && id <= 0x68, id >= 0x6B && id <= 0x79:
		return true
	}
	return false
}

// Rules of the replay.
func (r *Reader) Rules() Rules { return Rules{r.Game, r.Start.late()} }

// Actions walks the actions of one command block. What cannot be told apart is
// yielded as one unknown action and ends the walk.
func (r Rules) Actions(data []byte) iter.Seq[Action] {
	return func(yield func(Action) bool) {
		for len(data) > 0 {
			id := r.renumber(data[0])
			n := r.length(id, data)
			if n <= 0 || n > len(data) {
				yield(Action{id, data, false})
				return
			}
			if !yield(Action{id, data[:n:n], true}) {
				return
			}
			data = data[n:]
		}
	}
}

// renumber turns the ID of a version into that of 1.14b. Actions document §8;
// for 2.0.2 w3gjs 3.1.0
// and two of its files.
func (r Rules) renumber(id byte) byte {
	switch {
	case r.Late && id >= 0x77 && id < 0xFF:
		return id + 1 // w3gjs shifts from 0x78 on, but 0x77 of 2.0.2 has the layout of 0x78
	case r.Version.minor() < 7 && id >= 0x65 && id <= 0x72:
		return id + 1 // one ID was missing between 0x63 and 0x65
	case r.old() && id >= 0x1A && id <= 0x1D:
		return id + 1 // 0x19 stood for 0x1A
	}
	return id
}

// fixed is the length of each action without strings and lists, its ID
// included, in 1.13 to 1.28. From the actions document §2, except where noted.
var fixed = [256]uint8{
	0x01: 1, 0x02: 1, 0x03: 2, 0x04: 1, 0x05: 1, 0x07: 5, // pause, speed, saved
	0x10: 15, 0x11: 23, 0x12: 31, 0x13: 39, 0x14: 44, // orders; the document's headings leave out a byte
	0x18: 3, 0x19: 13, 0x1A: 1, 0x1B: 10, 0x1C: 10, 0x1D: 9, 0x1E: 6, 0x1F: 6, // selection, queues; 0x1F: w3gjs
	0x20: 1, 0x21: 9, 0x22: 1, 0x23: 1, 0x24: 1, 0x25: 1, 0x26: 1, 0x27: 6, 0x28: 6, 0x29: 1, // cheats
	0x2A: 1, 0x2B: 1, 0x2C: 1, 0x2D: 6, 0x2E: 5, 0x2F: 1, 0x30: 1, 0x31: 1, 0x32: 1,
	0x50: 6, 0x51: 10, // alliance, resources
	0x61: 1, 0x62: 13, // escape, trigger
	0x63: 9, 0x64: 9, 0x65: 9, // w3gjs: trackables
	0x66: 1, 0x67: 1, 0x68: 13, 0x69: 17, 0x6A: 17, // menus, ping, continue
	0x75: 2, // arrow key
}

// fixedNew are those that came later, all from w3gjs 3.1.0: 0x76 and on with
// 1.29 to 1.31, 0x15 and the cheats with 1.32.
var fixedNew = map[byte]struct{ since, length int }{
	0x15: {32, 52}, 0x76: {29, 11}, 0x7A: {31, 21}, 0x7B: {31, 17}, 0xA0: {32, 15}, 0xA1: {32, 10},
}

// length is that of the action at the start of data; 0 when it is not known,
// and more than there is when it is cut off.
func (r Rules) length(id byte, data []byte) int {
	minor := r.Version.minor()
	switch id {
	case 0x06: // save: name cstr; w3gjs: from 1.32 on two names and a byte
		if minor >= 32 {
			return span(data, 1, 2, 1)
		}
		return span(data, 1, 1, 0)
	case 0x10, 0x11, 0x12, 0x13, 0x14, 0x15: // an order
		return r.orderLen(id)
	case 0x16, 0x17: // selection, group: mode u8 · n u16 · n × 8
		if len(data) < 4 {
			return 0
		}
		return 4 + 8*int(binary.LittleEndian.Uint16(data[2:]))
	case 0x19: // subgroup: u8 before 1.14b
		if r.old() {
			return 2
		}
	case 0x60: // chat for triggers: u32 · u32 · text cstr
		return span(data, 9, 1, 0)
	case 0x62: // the counter came with 1.07
		if minor < 7 {
			return 9
		}
	case 0x6B, 0x6C: // stored integer, real: three cstr · 4 bytes
		return span(data, 1, 3, 4)
	case 0x6D: // stored boolean: three cstr · u8 (w3gjs)
		return span(data, 1, 3, 1)
	case 0x6E: // stored unit: three cstr · unit (w3gjs)
		return unitLen(data, span(data, 1, 3, 0))
	case 0x70, 0x71, 0x72, 0x73: // clear a stored value: three cstr
		return span(data, 1, 3, 0)
	case 0x77: // frames: u32 · u32 · n u32 · n bytes (w3gjs)
		if minor < 29 || len(data) < 13 {
			return 0
		}
		return int(min(13+int64(binary.LittleEndian.Uint32(data[9:])), 1<<20))
	case 0x78: // sync: prefix cstr · data cstr · u32 (w3gjs)
		if minor < 29 {
			return 0
		}
		return span(data, 1, 2, 4)
	case 0x79: // frame event: 8 bytes · event u32 · value f32 · text cstr (w3gjs)
		if minor < 31 {
			return 0
		}
		return span(data, 17, 1, 0)
	}
	if n := int(fixed[id]); n > 0 {
		return n
	}
	if later, ok := fixedNew[id]; ok && minor >= later.since {
		return later.length
	}
	return 0
}

// orderLen is the length of an order: flags are one byte before 1.13, and the 8
// bytes behind the order came with 1.07.
func (r Rules) orderLen(id byte) int {
	n, minor := int(fixed[id]), r.Version.minor()
	if n == 0 {
		if minor < 32 {
			return 0
		}
		n = fixedNew[id].length
	}
	if minor < 13 {
		n--
	}
	if minor < 7 {
		n -= 8
	}
	return n
}

// span is the length of an action with n strings between head and tail bytes;
// 0 when one of them does not end.
func span(data []byte, head, n, tail int) int {
	at := head
	for range n {
		if at > len(data) {
			return 0
		}
		end := bytes.IndexByte(data[at:], 0)
		if end < 0 {
			return 0
		}
		at += end + 1
	}
	return at + tail
}

// unitLen is the length up to the end of a unit that begins at: id u32 · n u32 ·
// n items of 12 · 12 hero values u32 · n u32 · n abilities of 8 · life, mana,
// sight f32 · n u32 · n × u32 · defence f32 · u16.
func unitLen(data []byte, at int) int {
	const most = 1 << 16
	list := func(item int) bool {
		if at == 0 || at > len(data)-4 {
			at = 0
			return false
		}
		n := binary.LittleEndian.Uint32(data[at:])
		if n > most {
			at = 0
			return false
		}
		at += 4 + int(n)*item
		return true
	}
	if at == 0 {
		return 0
	}
	at += 4
	if !list(12) {
		return 0
	}
	at += 48
	if !list(8) {
		return 0
	}
	at += 12
	if !list(4) {
		return 0
	}
	return at + 6
}
