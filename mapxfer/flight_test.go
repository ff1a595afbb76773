package mapxfer

import "testing"

// TestMarksAreSpread: however much is in flight, an acknowledgement finds a mark
// not far behind it, so that round trips and rates are measured all the time.
func TestMarksAreSpread(t *testing.T) {
	for _, parts := range []int64{10, 64, 65, 500, 2900} {
		var f flights
		for i := range parts {
			f.push(flight{end: (i + 1) * PartLen}, (i+1)*PartLen)
		}
		// Acknowledge part by part; as much leaves as arrives.
		before, widest := int64(0), int64(0)
		for i := range 4 * parts {
			if m, ok := f.pop((i + 1) * PartLen); ok {
				if i > parts { // marks made while the window grew are denser
					widest = max(widest, m.end-before)
				}
				before = m.end
			}
			f.push(flight{end: (parts + i + 1) * PartLen}, parts*PartLen)
		}
		if most := max(parts*PartLen/8, PartLen); widest > most || before == 0 {
			t.Errorf("%d parts in flight: marks are up to %d bytes apart, want %d", parts, widest, most)
		}
	}
}
