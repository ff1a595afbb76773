package mpq

import "math/bits"

const (
	endLength  = 519 // a copy of this length marks the end of the stream
	minDict    = 4
	maxDict    = 6
	litBinary  = 0
	litCoded   = 1
	codeBits   = 13 // longest code in bits
	shortCopy  = 2  // copies of this length have 2 low distance bits, regardless of the dictionary size
	shortBits  = 2
	lengthExtr = 8 // first length symbol with extra bits
)

// Code lengths in bits of the three code tables. Codes are assigned by length, then by symbol, with all bits
// inverted and the first bit lowest.
var (
	literalBits = [256]uint8{
		11, 12, 12, 12, 12, 12, 12, 12, 12, 8, 7, 12, 12, 7, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 13, 12, 12, 12, 12, 12,
		4, 10, 8, 12, 10, 12, 10, 8, 7, 7, 8, 9, 7, 6, 7, 8, 7, 6, 7, 7, 7, 7, 8, 7, 7, 8, 8, 12, 11, 7, 9, 11,
		12, 6, 7, 6, 6, 5, 7, 8, 8, 6, 11, 9, 6, 7, 6, 6, 7, 11, 6, 6, 6, 7, 9, 8, 9, 9, 11, 8, 11, 9, 12, 8,
		12, 5, 6, 6, 6, 5, 6, 6, 6, 5, 11, 7, 5, 6, 5, 5, 6, 10, 5, 5, 5, 5, 8, 7, 8, 8, 10, 11, 11, 12, 12, 12,
		13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13,
		13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12,
		12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12,
		13, 12, 13, 13, 13, 12, 13, 13, 13, 12, 13, 13, 13, 13, 12, 13, 13, 13, 12, 12, 12, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13,
	}
	lengthBits   = [16]uint8{3, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 7, 7}
	lengthBase   = [16]int{2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 40, 72, 136, 264}
	distanceBits = [64]uint8{
		2, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
		7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
	}

	literalCodes  = newCodeTable(literalBits[:])
	lengthCodes   = newCodeTable(lengthBits[:])
	distanceCodes = newCodeTable(distanceBits[:])
)

// codeTable is indexed by the next codeBits bits of the stream; entries are symbol<<4 | code length.
type codeTable [1 << codeBits]uint16

func newCodeTable(lengths []uint8) *codeTable {
	table := new(codeTable)
	code := uint16(0)
	for n := 1; n <= codeBits; n++ {
		for symbol, length := range lengths {
			if int(length) != n {
				continue
			}
			low := bits.Reverse16(^code<<(16-n)) & (1<<n - 1)
			for i := int(low); i < len(table); i += 1 << n {
				table[i] = uint16(symbol)<<4 | uint16(n)
			}
			code++
		}
		code <<= 1
	}
	return table
}

// explode decompresses the format of the PKWARE Data Compression Library:
//
//	u8 literals: 0 plain, 1 coded · u8 low bits of a distance, 4 to 6 · then bits, lowest first:
//	0 and a literal · 1, a length and a distance to copy from · length 519 ends it
func explode(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < 2 {
		return dst, errCutShort
	}
	kind, dict := src[0], uint(src[1])
	if kind > litCoded || dict < minDict || dict > maxDict {
		return dst, corrupt("it is not PKWARE data: it begins with %02x %02x", kind, dict)
	}
	in := bitReader{src: src[2:]}
	start := len(dst)
	for {
		in.fill()
		if in.take(1) == 0 {
			var b byte
			if kind == litBinary {
				b = byte(in.take(8))
			} else {
				b = byte(literalCodes.symbol(&in))
			}
			if in.short {
				return dst, errCutShort
			}
			if len(dst)-start == limit {
				return dst, errOverrun
			}
			dst = append(dst, b)
			continue
		}
		symbol := lengthCodes.symbol(&in)
		length := lengthBase[symbol]
		if symbol >= lengthExtr {
			length += int(in.take(uint(symbol) - lengthExtr + 1))
		}
		if length == endLength && !in.short {
			return dst, nil
		}
		low := dict
		if length == shortCopy {
			low = shortBits
		}
		distance := distanceCodes.symbol(&in)<<low + int(in.take(low)) + 1
		switch {
		case in.short:
			return dst, errCutShort
		case distance > len(dst)-start:
			return dst, corrupt("it copies from %d bytes back, where it has only %d", distance, len(dst)-start)
		case length > limit-(len(dst)-start):
			return dst, errOverrun
		}
		dst = appendCopy(dst, distance, length, start+limit)
	}
}

// symbol decodes a code; past the end it returns an arbitrary symbol and sets in.short.
func (t *codeTable) symbol(in *bitReader) int {
	entry := t[in.bits&(1<<codeBits-1)]
	in.drop(uint(entry & 15))
	return int(entry >> 4)
}
