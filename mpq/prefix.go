package mpq

import (
	"math/bits"
	"slices"
)

const (
	maxCode    = 15 // bits of the longest code
	litRoot    = 10 // bits that the first look into a table of literals takes
	distRoot   = 8
	metaRoot   = 7
	maxLits    = 288
	maxDists   = 32
	metaCodes  = 19
	endOfBlock = 256
	maxMatch   = 258
)

// A code is an entry of a table:
//
//	bits 0–7 its length, 0 if there is no such code · 8–11 extra bits that follow, or that a link looks at · 12–13 kind ·
//	16–31 value
type code uint32

const (
	kindLiteral code = iota << 12
	kindCopy         // a length or a distance, to which the extra bits are added
	kindEnd
	kindLink // to a further table, at value, that the rest of the code looks into

	kindBits = 3 << 12
)

func (c code) length() uint                     { return uint(c & 0xFF) }
func (c code) extra() uint                      { return uint(c >> 8 & 15) }
func (c code) value() int                       { return int(c >> 16) }
func makeCode(value, extra int, kind code) code { return code(value)<<16 | code(extra)<<8 | kind }

// What the symbols of the two codes stand for, without the lengths of their codes.
var litMeaning, distMeaning, metaMeaning = meanings()

func meanings() (lits [maxLits]code, dists [maxDists]code, meta [metaCodes]code) {
	for i := range endOfBlock {
		lits[i] = makeCode(i, 0, kindLiteral)
	}
	lits[endOfBlock] = makeCode(0, 0, kindEnd)
	base := 3
	for i := range 28 {
		extra := max(0, i/4-1)
		lits[endOfBlock+1+i] = makeCode(base, extra, kindCopy)
		base += 1 << extra
	}
	lits[285] = makeCode(maxMatch, 0, kindCopy)
	base = 1
	for i := range 30 {
		extra := max(0, i/2-1)
		dists[i] = makeCode(base, extra, kindCopy)
		base += 1 << extra
	}
	for i := range meta {
		meta[i] = makeCode(i, 0, kindLiteral)
	}
	return lits, dists, meta
}

// buildCodes makes the table of a canonical code from the lengths of its codes. The table is indexed by the next root
// bits; codes that are longer go on in further tables behind it.
func buildCodes(table []code, root uint, lengths []uint8, meaning []code) ([]code, error) {
	var count [maxCode + 1]int
	longest := uint(0)
	for _, n := range lengths {
		count[n]++
		longest = max(longest, uint(n))
	}
	count[0] = 0
	var next [maxCode + 2]uint16
	left := 1
	for n := 1; n <= maxCode; n++ {
		next[n+1] = (next[n] + uint16(count[n])) << 1
		if left = left<<1 - count[n]; left < 0 {
			return table, corrupt("a block has more codes than fit")
		}
	}
	table = slices.Grow(table[:0], 1<<root)[:1<<root]
	clear(table)
	further := longest - min(longest, root) // bits of the tables behind
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		length := uint(n)
		low := uint(bits.Reverse16(next[n]) >> (16 - length))
		next[n]++
		entry := meaning[symbol] | code(length)
		if meaning[symbol] == 0 && symbol != 0 {
			entry = 0 // symbols that stand for nothing
		}
		if length <= root {
			for i := low; i < 1<<root; i += 1 << length {
				table[i] = entry
			}
			continue
		}
		first := low & (1<<root - 1)
		if table[first] == 0 {
			table[first] = makeCode(len(table), int(further), kindLink) | code(root)
			table = append(table, make([]code, 1<<further)...)
		}
		behind := table[table[first].value():][:1<<further]
		for i := low >> root; i < 1<<further; i += 1 << (length - root) {
			behind[i] = entry
		}
	}
	return table, nil
}
