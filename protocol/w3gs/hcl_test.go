package w3gs

import "testing"

// The bytes of the protocol's description: 'a' at 100 is table[5] = 6, 'h' at 50 is
// table[42] = 43, 'i' at 60 is table[49] = 51, the first after 50; '.' at 100 is
// table[245] = 252. Slots that nobody is in carry nothing.
func TestWriteHCL(t *testing.T) {
	slots := []Slot{
		{Status: SlotOccupied, Handicap: 100},
		{Status: SlotOpen, Handicap: 100},
		{Status: SlotOccupied, Handicap: 50},
		{Status: SlotOccupied, Handicap: 60},
		{Status: SlotOccupied, Computer: true, Handicap: 100},
		{Status: SlotOccupied, Handicap: 90},
	}
	WriteHCL(slots, "ahi.")
	for i, want := range []uint8{6, 100, 43, 51, 252, 90} {
		if got := slots[i].Handicap; got != want {
			t.Errorf("slot %d: %d, want %d", i, got, want)
		}
	}
}
