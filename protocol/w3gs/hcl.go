package w3gs

import "strings"

// hclTable maps 0, 1, 2 … to the bytes that are no handicap a map could meet in
// an ordinary game: all but 0, 50, 60, 70, 80, 90 and 100.
var hclTable = func() (table []uint8) {
	for b := 1; b < 256; b++ {
		if b < 50 || b > 100 || b%10 != 0 {
			table = append(table, uint8(b))
		}
	}
	return table
}()

// WriteHCL puts a mode string of HCLLetters into the handicaps of the occupied
// slots, where the map reads it; a letter each: table[(handicap − 50) / 10 + 6 ×
// letter]. Letters without a slot are left out.
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
