package w3gs

// SlotLen is the length of a slot record: pid · download % · status · computer · team · colour · race · AI ·
// handicap, one byte each.
const SlotLen = 9

// SlotStatus is the state of a slot.
type SlotStatus uint8

// Slot states.
const (
	SlotOpen     SlotStatus = 0
	SlotClosed   SlotStatus = 1
	SlotOccupied SlotStatus = 2
)

// Race is a bit set: one race and, if the player may change it, RaceSelectable.
type Race uint8

// Races. A slot without RaceSelectable has its race fixed by the map.
const (
	RaceHuman      Race = 0x01
	RaceOrc        Race = 0x02
	RaceNightElf   Race = 0x04
	RaceUndead     Race = 0x08
	RaceRandom     Race = 0x20
	RaceSelectable Race = 0x40
)

// AI is the strength of a computer player; it is AINormal in slots without one.
type AI uint8

// Strengths of computer players.
const (
	AIEasy   AI = 0
	AINormal AI = 1
	AIInsane AI = 2
)

// Special values of Slot.Download and Slot.Team.
const (
	DownloadUnknown = 255
	ObserverTeam    = 12 // observers' team and colour up to 1.28
	ObserverTeam24  = 24 // observers' team and colour from 1.29
)

// Slot is one row of the lobby.
type Slot struct {
	PID      uint8 // 0 for open, closed and computer slots
	Download uint8 // percent from 0 to 100; DownloadUnknown until the client has answered the map check
	Status   SlotStatus
	Computer bool
	Team     uint8
	Colour   uint8
	Race     Race
	AI       AI
	Handicap uint8 // percent: 50, 60 … 100; an arbitrary byte while it carries a letter of an HCL string
}

// AppendTo appends the 9-byte slot record.
func (s Slot) AppendTo(dst []byte) []byte {
	computer := byte(0)
	if s.Computer {
		computer = 1
	}
	return append(dst, s.PID, s.Download, byte(s.Status), computer, s.Team, s.Colour, byte(s.Race), byte(s.AI), s.Handicap)
}

func (s *Slot) read(c *codec) {
	b := c.take(SlotLen)
	if b == nil {
		return
	}
	if b[2] > byte(SlotOccupied) {
		c.failAt(c.at-SlotLen+2, ErrValue)
	}
	if b[3] > 1 {
		c.failAt(c.at-SlotLen+3, ErrValue)
	}
	*s = Slot{b[0], b[1], SlotStatus(b[2]), b[3] == 1, b[4], b[5], Race(b[6]), AI(b[7]), b[8]}
}

// Layout determines which properties of a slot its player may change.
type Layout uint8

// Layouts, derived from the map's "custom forces" and "fixed player settings" flags.
const (
	LayoutMelee         Layout = 0
	LayoutCustomForces  Layout = 1
	LayoutFixedAlone    Layout = 2 // fixed player settings without custom forces
	LayoutFixedSettings Layout = 3 // custom forces and fixed player settings
	LayoutLadder        Layout = 0xCC
)

// SlotTable is the state of the lobby that clients display: size u16 · n u8 · n slots · random seed u32 ·
// layout u8 · player slots u8. size counts the bytes from n to the end.
type SlotTable struct {
	Slots       []Slot
	RandomSeed  uint32
	Layout      Layout
	PlayerSlots uint8 // start locations of the map; observer slots do not count
}

// AppendTo appends the encoded table, which packets and saved games share.
func (t *SlotTable) AppendTo(dst []byte) []byte { return t.fields(&codec{b: dst}).b }

// Decode reads an encoded table. b must not contain anything else.
func (t *SlotTable) Decode(b []byte) error { return t.fields(read(b, OpSlotInfo)).done() }

func (t *SlotTable) fields(c *codec) *codec {
	size := uint16(1 + len(t.Slots)*SlotLen + 6)
	if c.u16(&size); int(size) > c.left() {
		c.fail(ErrShort)
	}
	from := c.at
	n := c.count(len(t.Slots), SlotLen, MaxSlots)
	if c.reading {
		t.Slots = append(t.Slots[:0], make([]Slot, n)...)
		for i := range t.Slots {
			t.Slots[i].read(c)
		}
	} else {
		b := c.b
		for _, s := range t.Slots {
			b = s.AppendTo(b)
		}
		c.b = b
	}
	c.u32(&t.RandomSeed).u8((*uint8)(&t.Layout)).u8(&t.PlayerSlots)
	if c.at-from != int(size) {
		c.fail(ErrLength)
	}
	return c
}
