package w3map

import (
	"bytes"
	"slices"
)

// Reports tells in which ways a map's script reports results. It is derived from the names of the game caches
// that reports are sent through, which appear in the script.
type Reports struct {
	W3MMD bool `json:"w3mmd,omitempty"`
	DotA  bool `json:"dota,omitempty"`
}

var (
	nameOfW3MMD = []byte("MMD.Dat")
	nameOfDotA  = []byte(`"dr.x"`)
)

// finder scans a script, fed in parts, for result reports and for suspicious file writes.
type finder struct {
	found  Reports
	writes string
	tail   []byte // end of the previous parts, for matches across a boundary
}

func (f *finder) scan(part []byte) {
	seam := slices.Concat(f.tail, part[:min(len(part), longestWrite)])
	for _, text := range [][]byte{seam, part} {
		f.found.W3MMD = f.found.W3MMD || bytes.Contains(text, nameOfW3MMD)
		f.found.DotA = f.found.DotA || bytes.Contains(text, nameOfDotA)
		if f.writes == "" {
			f.writes = suspiciousWrite(text)
		}
	}
	if len(part) >= longestWrite {
		seam = part
	}
	f.tail = append(f.tail[:0], seam[max(0, len(seam)-longestWrite):]...)
}
