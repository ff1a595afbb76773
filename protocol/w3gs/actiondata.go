package w3gs

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// Action is one entry of a player's action data, which concatenates actions without separators.
type Action struct {
	// ID is the action's number, translated to the numbering of 1.14b to 2.0.1.
	ID    byte
	Data  []byte // includes the ID byte as sent; aliases the input
	Known bool   // false for an unknown ID or layout; Data then holds all remaining bytes
}

// ActionRules selects the action layouts of a game version. Sources: w3g_actions.txt 1.01 by blue and nagger;
// w3gjs 3.1.0 for newer actions and for 0x1F, 0x63 to 0x65, 0x6C to 0x73 and 0x77 to 0x7B; and real replays.
type ActionRules struct {
	Version Version
	Early14 bool // set for 1.14 builds before 1.14b, which Version alone cannot tell apart
	Late    bool // set for 2.0.2 and later
}

// LiveActions returns the rules for clients in a running game. Version cannot tell the 2.0 releases apart, so
// 2.0 is taken to be the latest one.
func (v Version) LiveActions() ActionRules {
	return ActionRules{Version: v, Late: v >= VersionTwo}
}

// Actions splits a player's action data into actions. It yields the bytes from the first unknown action on as
// one Action with Known false, and stops there.
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

// HasText reports whether the action's layout contains strings.
func (a Action) HasText() bool { return actionLayouts[a.ID].strings > 0 }

// Before114b reports whether the version uses the action numbering of releases before 1.14b.
func (r ActionRules) Before114b() bool { return r.Version < 14 || r.Early14 }

// renumber translates an action ID of this version into the 1.14b numbering. Sources: the actions document,
// §8; for 2.0.2, w3gjs and two recorded replays.
func (r ActionRules) renumber(id byte) byte {
	switch {
	case r.Late && id >= 0x77 && id < 0xFF:
		return id + 1 // w3gjs shifts from 0x78 on, but 0x77 of 2.0.2 already has the layout of 0x78
	case r.Version < 7 && id >= 0x65 && id <= 0x72:
		return id + 1 // versions before 1.07 lacked one ID in this range
	case r.Before114b() && id >= 0x1A && id <= 0x1D:
		return id + 1 // versions before 1.14b used 0x19 for today's 0x1A
	}
	return id
}

// actionLayout describes an action as head bytes including the ID, then NUL-terminated strings, then tail
// bytes.
type actionLayout struct {
	head, strings, tail uint8
	since               Version // first version that has the action; older ones treat the ID as unknown
}

// actionLayouts holds the layouts of 1.14b and later by ID; ActionRules.length handles the exceptions. The
// byte counts of orders are one higher than in the actions document, whose headings omit a byte.
var actionLayouts = [256]actionLayout{
	// Pause, resume, game speed; save game (name), save finished.
	0x01: {head: 1}, 0x02: {head: 1}, 0x03: {head: 2}, 0x04: {head: 1}, 0x05: {head: 1},
	0x06: {head: 1, strings: 1}, 0x07: {head: 5},
	// Unit orders.
	0x10: {head: 15}, 0x11: {head: 23}, 0x12: {head: 31}, 0x13: {head: 39}, 0x14: {head: 44}, 0x15: {head: 52, since: 32},
	// Selection and group assignment: mode u8 · n u16 · n × 8 bytes. Then other selection and build-queue
	// actions.
	0x16: {head: 4}, 0x17: {head: 4},
	0x18: {head: 3}, 0x19: {head: 13}, 0x1A: {head: 1}, 0x1B: {head: 10}, 0x1C: {head: 10}, 0x1D: {head: 9}, 0x1E: {head: 6}, 0x1F: {head: 6},
	// Cheats, which single-player games record.
	0x20: {head: 1}, 0x21: {head: 9}, 0x22: {head: 1}, 0x23: {head: 1}, 0x24: {head: 1}, 0x25: {head: 1}, 0x26: {head: 1},
	0x27: {head: 6}, 0x28: {head: 6}, 0x29: {head: 1}, 0x2A: {head: 1}, 0x2B: {head: 1}, 0x2C: {head: 1}, 0x2D: {head: 6},
	0x2E: {head: 5}, 0x2F: {head: 1}, 0x30: {head: 1}, 0x31: {head: 1}, 0x32: {head: 1},
	// Alliance options, resource transfer.
	0x50: {head: 6}, 0x51: {head: 10},
	// Trigger chat event: u32 · u32 · text. Then escape key, trigger events, trackables.
	0x60: {head: 9, strings: 1}, 0x61: {head: 1}, 0x62: {head: 13}, 0x63: {head: 9}, 0x64: {head: 9}, 0x65: {head: 9},
	// Skill and build submenus, minimap ping, continue game.
	0x66: {head: 1}, 0x67: {head: 1}, 0x68: {head: 13}, 0x69: {head: 17}, 0x6A: {head: 17},
	// Game cache: store integer, real, boolean, unit (file, mission, key · value), then the actions that
	// clear them.
	0x6B: {head: 1, strings: 3, tail: 4}, 0x6C: {head: 1, strings: 3, tail: 4}, 0x6D: {head: 1, strings: 3, tail: 1}, 0x6E: {head: 1, strings: 3},
	0x70: {head: 1, strings: 3}, 0x71: {head: 1, strings: 3}, 0x72: {head: 1, strings: 3}, 0x73: {head: 1, strings: 3},
	// Arrow key, mouse; custom frame text: u32 · u32 · n u32 · n bytes; sync data: prefix, data · u32.
	0x75: {head: 2}, 0x76: {head: 11, since: 29}, 0x77: {head: 13, since: 29}, 0x78: {head: 1, strings: 2, tail: 4, since: 29},
	// Frame event: 8 bytes · event u32 · value f32 · text. Then key press and heartbeat.
	0x79: {head: 17, strings: 1, since: 31}, 0x7A: {head: 21, since: 31}, 0x7B: {head: 17, since: 31},
	0xA0: {head: 15, since: 32}, 0xA1: {head: 10, since: 32},
}

// length returns the length in bytes of the action with the given ID at the start of data. It returns 0 for
// an unknown or unreadable action, and may exceed len(data) for a truncated one.
func (r ActionRules) length(id byte, data []byte) int {
	layout := actionLayouts[id]
	n := int(layout.head)
	switch {
	case n == 0 || r.Version < layout.since:
		return 0
	case id == 0x06 && r.Version >= 32: // from 1.32: two names and a byte
		layout.strings, layout.tail = 2, 1
	case id >= 0x10 && id <= 0x15:
		if r.Version < 13 {
			n-- // the flags field was one byte before 1.13
		}
		if r.Version < 7 {
			n -= 8 // two object IDs were added in 1.07
		}
	case id == 0x16 || id == 0x17:
		if len(data) < n {
			return 0
		}
		n += 8 * int(binary.LittleEndian.Uint16(data[2:]))
	case id == 0x19 && r.Before114b():
		n = 2
	case id == 0x62 && r.Version < 7:
		n = 9 // the counter was added in 1.07
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

// unitEnd returns the offset behind a unit stored in the game cache, which starts at offset at, or 0 if it is
// truncated. Layout: id u32 · n u32 · n items of 12 bytes · 12 hero values u32 · n u32 · n abilities of 8
// bytes · life, mana, sight f32 · n u32 · n × u32 · defence f32 · u16.
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

// allianceAll combines the alliance flags for ally status, shared vision, shared control and allied victory, as
// clients send them.
const allianceAll = 0x47F

// ShareUnits returns the alliance action with which a player shares units, vision and victory with the player
// of the given slot, counted from 0.
func ShareUnits(slot uint8) []byte {
	return binary.LittleEndian.AppendUint32([]byte{0x50, slot}, allianceAll)
}
