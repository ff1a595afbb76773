package w3gs

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// Action is one of the actions that a player's action data holds one behind the
// other.
type Action struct {
	ID    byte   // as 1.14b to 2.0.1 number them
	Data  []byte // with the ID as it was sent
	Known bool   // false: the rest of the data, from an ID or a length that is not known
}

// ActionRules select the layout of actions. Sources: the actions
// document 1.01 by blue and nagger, w3gjs 3.1.0 for later actions and for
// 0x1F, 0x63 to 0x65, 0x6C to 0x73 and 0x77 to 0x7B, and real replays.
type ActionRules struct {
	Version Version
	Early14 bool // 1.14 before 1.14b
	Late    bool // 2.0.2 and later
}

// LiveActions returns the rules for the actions of clients in a running game. Those of 2.0 are
// taken for clients of its last release.
func (v Version) LiveActions() ActionRules {
	return ActionRules{Version: v, Late: v >= VersionTwo}
}

// Actions walks a player's action data by the lengths of the actions. Bytes that cannot
// be told apart are yielded as one unknown action and end the walk.
func (r ActionRules) Actions(data []byte) iter.Seq[Action] {
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

// HasText reports whether an action holds strings.
func (a Action) HasText() bool { return actionLayouts[a.ID].strings > 0 }

// Before114b reports whether a version numbers actions as the first ones did.
func (r ActionRules) Before114b() bool { return r.Version < 14 || r.Early14 }

// renumber turns the ID of a version into that of 1.14b: §8 of the document; for
// 2.0.2 w3gjs and two of its files.
func (r ActionRules) renumber(id byte) byte {
	switch {
	case r.Late && id >= 0x77 && id < 0xFF:
		return id + 1 // w3gjs shifts from 0x78 on, but 0x77 of 2.0.2 has the layout of 0x78
	case r.Version < 7 && id >= 0x65 && id <= 0x72:
		return id + 1 // one ID was missing between 0x63 and 0x65
	case r.Before114b() && id >= 0x1A && id <= 0x1D:
		return id + 1 // 0x19 stood for 0x1A
	}
	return id
}

// actionLayout is an action of head bytes, its ID included, then strings, then tail
// bytes.
type actionLayout struct {
	head, strings, tail uint8
	since               Version // before it the action is not known
}

// actionLayouts are those of 1.14b and later; length has the exceptions. The headings
// of the document leave out a byte of the orders.
var actionLayouts = [256]actionLayout{
	// pause, resume, speed keys; save: name, saved
	0x01: {head: 1}, 0x02: {head: 1}, 0x03: {head: 2}, 0x04: {head: 1}, 0x05: {head: 1},
	0x06: {head: 1, strings: 1}, 0x07: {head: 5},
	// orders
	0x10: {head: 15}, 0x11: {head: 23}, 0x12: {head: 31}, 0x13: {head: 39}, 0x14: {head: 44}, 0x15: {head: 52, since: 32},
	// selection, group: mode u8 · n u16 · n × 8; then other selections and queues
	0x16: {head: 4}, 0x17: {head: 4},
	0x18: {head: 3}, 0x19: {head: 13}, 0x1A: {head: 1}, 0x1B: {head: 10}, 0x1C: {head: 10}, 0x1D: {head: 9}, 0x1E: {head: 6}, 0x1F: {head: 6},
	// cheats
	0x20: {head: 1}, 0x21: {head: 9}, 0x22: {head: 1}, 0x23: {head: 1}, 0x24: {head: 1}, 0x25: {head: 1}, 0x26: {head: 1},
	0x27: {head: 6}, 0x28: {head: 6}, 0x29: {head: 1}, 0x2A: {head: 1}, 0x2B: {head: 1}, 0x2C: {head: 1}, 0x2D: {head: 6},
	0x2E: {head: 5}, 0x2F: {head: 1}, 0x30: {head: 1}, 0x31: {head: 1}, 0x32: {head: 1},
	// alliance, resources
	0x50: {head: 6}, 0x51: {head: 10},
	// chat for triggers: u32 · u32 · text; escape, trigger, trackables
	0x60: {head: 9, strings: 1}, 0x61: {head: 1}, 0x62: {head: 13}, 0x63: {head: 9}, 0x64: {head: 9}, 0x65: {head: 9},
	// menus, ping, continue
	0x66: {head: 1}, 0x67: {head: 1}, 0x68: {head: 13}, 0x69: {head: 17}, 0x6A: {head: 17},
	// stored integer, real, boolean and unit: file, mission, key · value; then clearing them
	0x6B: {head: 1, strings: 3, tail: 4}, 0x6C: {head: 1, strings: 3, tail: 4}, 0x6D: {head: 1, strings: 3, tail: 1}, 0x6E: {head: 1, strings: 3},
	0x70: {head: 1, strings: 3}, 0x71: {head: 1, strings: 3}, 0x72: {head: 1, strings: 3}, 0x73: {head: 1, strings: 3},
	// arrow key, mouse; frames: u32 · u32 · n u32 · n bytes; sync: prefix, data · u32
	0x75: {head: 2}, 0x76: {head: 11, since: 29}, 0x77: {head: 13, since: 29}, 0x78: {head: 1, strings: 2, tail: 4, since: 29},
	// frame event: 8 bytes · event u32 · value f32 · text; key, heartbeat
	0x79: {head: 17, strings: 1, since: 31}, 0x7A: {head: 21, since: 31}, 0x7B: {head: 17, since: 31},
	0xA0: {head: 15, since: 32}, 0xA1: {head: 10, since: 32},
}

// length is that of the action at the start of data; 0 when it is not known, and more
// than there is when it is cut off.
func (r ActionRules) length(id byte, data []byte) int {
	layout := actionLayouts[id]
	n := int(layout.head)
	switch {
	case n == 0 || r.Version < layout.since:
		return 0
	case id == 0x06 && r.Version >= 32: // two names and a byte
		layout.strings, layout.tail = 2, 1
	case id >= 0x10 && id <= 0x15:
		if r.Version < 13 {
			n-- // flags were one byte
		}
		if r.Version < 7 {
			n -= 8 // two object ids came with 1.07
		}
	case id == 0x16 || id == 0x17:
		if len(data) < n {
			return 0
		}
		n += 8 * int(binary.LittleEndian.Uint16(data[2:]))
	case id == 0x19 && r.Before114b():
		n = 2
	case id == 0x62 && r.Version < 7:
		n = 9 // the counter came with 1.07
	case id == 0x77:
		if len(data) < n {
			return 0
		}
		n += int(min(binary.LittleEndian.Uint32(data[9:]), 1<<20))
	}
	for range layout.strings {
		if n > len(data) {
			return 0
		}
		end := bytes.IndexByte(data[n:], 0)
		if end < 0 {
			return 0
		}
		n += end + 1
	}
	if id == 0x6E {
		return unitEnd(data, n)
	}
	return n + int(layout.tail)
}

// unitEnd is where a stored unit ends that begins at: id u32 · n u32 · n items of 12 ·
// 12 hero values u32 · n u32 · n abilities of 8 · life, mana, sight f32 · n u32 · n ×
// u32 · defence f32 · u16. It is 0 if that is not there.
func unitEnd(data []byte, at int) int {
	const most = 1 << 16
	for _, part := range []struct{ before, item int }{{4, 12}, {48, 8}, {12, 4}} {
		at += part.before
		if at > len(data)-4 {
			return 0
		}
		n := binary.LittleEndian.Uint32(data[at:])
		if n > most {
			return 0
		}
		at += 4 + int(n)*part.item
	}
	return at + 6
}

// allianceAll are an ally, shared sight, control of units, and victory, as clients send them together.
const allianceAll = 0x47F

// ShareUnits is the action by which a player shares everything with the player of a slot, from 0.
func ShareUnits(slot uint8) []byte {
	return binary.LittleEndian.AppendUint32([]byte{0x50, slot}, allianceAll)
}
