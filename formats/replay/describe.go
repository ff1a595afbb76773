package replay

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"w3host/protocol/w3gs"
)

// names of actions by ID. Sources: the actions document, §2, and w3gjs for later actions.
var names = map[byte]string{
	0x01: "pause", 0x02: "resume", 0x03: "speed", 0x04: "faster", 0x05: "slower", 0x06: "save", 0x07: "saved",
	0x10: "order", 0x11: "order", 0x12: "order", 0x13: "give", 0x14: "order", 0x15: "order",
	0x16: "select", 0x17: "assign group", 0x18: "select group", 0x19: "select subgroup", 0x1A: "before subgroup",
	0x1B: "unknown selection", 0x1C: "select item", 0x1D: "cancel revival", 0x1E: "cancel training", 0x1F: "cancel training",
	0x50: "alliance", 0x51: "give resources", 0x60: "trigger chat", 0x61: "escape", 0x62: "trigger",
	0x64: "trackable hit", 0x65: "trackable tracked", 0x66: "skill menu", 0x67: "build menu", 0x68: "ping",
	0x69: "continue", 0x6A: "continue", 0x6B: "store integer", 0x6C: "store real", 0x6D: "store boolean",
	0x6E: "store unit", 0x70: "clear integer", 0x71: "clear real", 0x72: "clear boolean", 0x73: "clear unit",
	0x75: "arrow key", 0x76: "mouse", 0x77: "frames", 0x78: "sync", 0x79: "frame event", 0x7B: "heartbeat",
}

// orders names the orders that have a number instead of a four-letter code. Source: the actions document,
// §4.2.
var orders = map[uint32]string{
	0xD0003: "right click", 0xD0004: "stop", 0xD0008: "cancel", 0xD000C: "rally", 0xD000F: "attack",
	0xD0010: "attack ground", 0xD0012: "move", 0xD0016: "patrol", 0xD0019: "hold position", 0xD0021: "drop item",
}

// heroes names the heroes of the standard game by four-letter code.
var heroes = map[string]string{
	"Hamg": "Archmage", "Hmkg": "Mountain King", "Hpal": "Paladin", "Hblm": "Blood Mage",
	"Obla": "Blademaster", "Ofar": "Far Seer", "Otch": "Tauren Chieftain", "Oshd": "Shadow Hunter",
	"Edem": "Demon Hunter", "Ekee": "Keeper of the Grove", "Emoo": "Priestess of the Moon", "Ewar": "Warden",
	"Udea": "Death Knight", "Udre": "Dreadlord", "Ulic": "Lich", "Ucrl": "Crypt Lord",
	"Npbm": "Pandaren Brewmaster", "Nbrn": "Dark Ranger", "Nngs": "Naga Sea Witch", "Nplh": "Pit Lord",
	"Nbst": "Beastmaster", "Ntin": "Tinker", "Nfir": "Firelord", "Nalc": "Alchemist",
}

// orderName returns a readable name of an order: a name for general orders, the four-letter code for units,
// buildings, abilities and items, code and name for heroes, otherwise the number.
func orderName(order uint32) string {
	switch {
	case orders[order] != "":
		return orders[order]
	case order >= 0xD0022 && order <= 0xD0027:
		return fmt.Sprintf("move item to slot %d", order-0xD0021)
	case order >= 0xD0028 && order <= 0xD002D:
		return fmt.Sprintf("use item in slot %d", order-0xD0027)
	}
	letters := binary.BigEndian.AppendUint32(nil, order)
	for _, c := range letters {
		if c < '0' || c > 'z' {
			return fmt.Sprintf("order %#x", order)
		}
	}
	if hero := heroes[string(letters)]; hero != "" {
		return fmt.Sprintf("%s (%s)", letters, hero)
	}
	return string(letters)
}

// Describe returns an action as readable text, with its main arguments.
func (r Rules) Describe(a w3gs.Action) string {
	if !a.Known {
		return fmt.Sprintf("unknown % x", a.Data)
	}
	name := names[a.ID]
	switch {
	case name == "" && a.ID >= 0x20 && a.ID <= 0x32:
		name = "cheat"
	case name == "":
		name = "action"
	}
	text := fmt.Sprintf("%#02x %s", a.Data[0], name)
	u32, b := binary.LittleEndian.Uint32, a.Data
	switch a.ID {
	case 0x10, 0x11, 0x12, 0x13, 0x14, 0x15:
		return text + r.describeOrder(a)
	case 0x16:
		text = fmt.Sprintf("%s %d", text, binary.LittleEndian.Uint16(b[2:]))
		if b[1] == 2 {
			text = fmt.Sprintf("%#02x deselect %d", b[0], binary.LittleEndian.Uint16(b[2:]))
		}
	case 0x17:
		text += fmt.Sprintf(" %d: %d", groupKey(b[1]), binary.LittleEndian.Uint16(b[2:]))
	case 0x18:
		text += fmt.Sprintf(" %d", groupKey(b[1]))
	case 0x19:
		if len(b) == 2 {
			return text + fmt.Sprintf(" %d", b[1])
		}
		text += " " + orderName(u32(b[1:]))
	case 0x1E, 0x1F:
		text += " " + orderName(u32(b[2:]))
	case 0x51:
		text += fmt.Sprintf(" to slot %d: %d gold, %d lumber", b[1], u32(b[2:]), u32(b[6:]))
	case 0x60:
		text += " " + strconv.Quote(string(b[9:len(b)-1]))
	case 0x68:
		text += point(b[1:])
	case 0x6B:
		text += fmt.Sprintf(" %q = %d", string(b[1:len(b)-5]), int32(u32(b[len(b)-4:])))
	}
	return text
}

// describeOrder returns the name, position and target of an order.
func (r Rules) describeOrder(a w3gs.Action) string {
	b := a.Data[2:]
	if r.Version >= 13 {
		b = a.Data[3:]
	}
	text := " " + orderName(binary.LittleEndian.Uint32(b))
	if b = b[4:]; r.Version >= 7 {
		b = b[8:]
	}
	if len(b) >= 8 {
		text += point(b)
		b = b[8:]
	}
	if (a.ID == 0x12 || a.ID == 0x13) && len(b) >= 8 {
		if target := binary.LittleEndian.Uint64(b); target != math.MaxUint64 {
			text += fmt.Sprintf(" on %x", target)
		}
	}
	return text
}

// groupKey returns the digit key of a control group.
func groupKey(group byte) int { return (int(group) + 1) % 10 }

// point formats a position stored as two floats.
func point(b []byte) string {
	f := func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
	return fmt.Sprintf(" at %.0f, %.0f", f(b), f(b[4:]))
}
