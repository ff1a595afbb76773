package w3map

import (
	"bytes"
	"slices"
)

// Reports are the ways in which a map's script reports results. A script names
// the game cache that it reports through; one that does not cannot report.
type Reports struct {
	W3MMD bool `json:"w3mmd,omitempty"`
	DotA  bool `json:"dota,omitempty"`
}

var (
	nameOfW3MMD = []byte("MMD.Dat")
	nameOfDotA  = []byte(`"dr.x"`)
)

// finder looks for the names, and for files that a map must not write, in a script that comes in parts.
type finder struct {
	found  Reports
	writes string
	tail   []byte // of the parts before
}

func (f *finder) scan(part []byte) {
	seam := slices.Concat(f.tail, part[:min(len(part), longestWrite)])
	for _, text := range [][]byte{seam, part} {
		f.found.W3MMD = f.found.W3MMD || bytes.Contains(text, nameOfW3MMD)
		f.found.DotA = f.found.DotA || bytes.Contains(text, nameOfDotA)
		if f.writes == "" {
			f.writes = attack(text)
		}
	}
	if len(part) >= longestWrite {
		seam = part
	}
	f.tail = append(f.tail[:0], seam[max(0, len(seam)-longestWrite):]...)
}
