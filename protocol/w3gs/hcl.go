package w3gs

import "strings"

// hclTable maps symbol numbers to handicap bytes. It skips 0, 50, 60, 70, 80, 90 and 100, which a map can see
// as real handicaps in an ordinary game.
var hclTable = func() (table []uint8) {
	for b := 1; b < 256; b++ {
		if b < 50 || b > 100 || b%10 != 0 {
			table = append(table, uint8(b))
		}
	}
	return table
}()

// WriteHCL encodes a mode string in the handicaps of the occupied slots, one letter per slot, where the map
// reads it (HCL, the HostBot Command Library). Each handicap byte is table[(handicap − 50) / 10 + 6 ×
// letter]. mode must consist of HCLLetters; letters beyond the number of occupied slots are dropped.
func WriteHCL(slots []Slot, mode string) {
	for i := range slots {
		s := &slots[i]
		if s.Status != SlotOccupied || mode == "" {
			continue
		}
		step := (int(min(max(s.Handicap, 50), 100)) - 50) / 10
		s.Handicap = hclTable[step+6*strings.IndexByte(HCLLetters, mode[0])]
		mode = mode[1:]
	}
}
