package mpq

import (
	"encoding/binary"
	"io"
	"iter"
)

const (
	headerStep  = 512       // headers start at multiples of this offset
	headerSize  = 32        // size of the header of format version 0, which is all that Warcraft III reads
	searchLimit = 128 << 20 // Warcraft III searches for a header up to this offset
	searchChunk = 64 << 10

	// maxHeaders limits the number of headers tried, because a file may be full of decoys.
	maxHeaders = 16

	// countMask selects the bits of the table counts that the game's Storm library uses; protectors set
	// higher bits.
	countMask = 0x0FFFFFFF
)

var magicArchive = [4]byte{'M', 'P', 'Q', 0x1A}

// header holds the used fields of an archive header:
//
//	0 magic · 4 header size · 8 archive size · 12 u16 version · 14 u16 sector shift
//	16 hash table offset · 20 block table offset · 24 hash entries · 28 block entries
//
// Like the game, this package ignores the archive size and the version, which protected maps falsify.
type header struct {
	base       int64 // source offset of the header; table offsets are relative to it
	claimed    uint32
	sectorSize uint32
	hashPos    uint32
	blockPos   uint32
	hashCount  uint32
	blockCount uint32
}

// abs converts an archive offset to a source offset. The sum wraps at 32 bits, as in the game; protectors use
// this for tables before the header.
func (h *header) abs(off uint32) int64 { return int64(uint32(h.base) + off) }

// parseHeader parses the header b at offset base and reports whether its tables can lie where it claims. size
// is the size of the source.
func parseHeader(b []byte, base, size int64) (header, bool) {
	if len(b) < headerSize || [4]byte(b) != magicArchive {
		return header{}, false
	}
	le := binary.LittleEndian
	h := header{
		base:       base,
		claimed:    le.Uint32(b[4:]),
		sectorSize: headerStep << (b[14] & 31), // 32-bit shift by the low byte, as in the game
		hashPos:    le.Uint32(b[16:]),
		blockPos:   le.Uint32(b[20:]),
		hashCount:  le.Uint32(b[24:]) & countMask,
		blockCount: le.Uint32(b[28:]) & countMask,
	}
	hash, block := h.abs(h.hashPos), h.abs(h.blockPos)
	sane := h.sectorSize != 0 && h.hashCount != 0 &&
		hash >= 0 && hash <= size-entrySize && block >= 0 && block <= size
	return h, sane
}

// headers iterates over plausible headers: first those that Warcraft III would accept, in file order, then
// those that claim to be shorter than a header. A read error ends the iteration.
func headers(r io.ReaderAt, size int64) iter.Seq2[header, error] {
	return func(yield func(header, error) bool) {
		var later []header
		tried := 0
		var n int
		buf := make([]byte, min(size, searchChunk))
		for at := int64(0); at < min(size, searchLimit); at += headerStep {
			i := int(at % searchChunk)
			if i == 0 {
				var err error
				if n, err = readAvailable(r, buf, at); err != nil {
					yield(header{}, err)
					return
				}
			}
			switch h, ok := parseHeader(buf[min(i, n):n], at, size); {
			case !ok:
			case h.claimed >= headerSize:
				if tried++; !yield(h, nil) || tried == maxHeaders {
					return
				}
			case len(later) < maxHeaders:
				later = append(later, h)
			}
		}
		for _, h := range later {
			if !yield(h, nil) {
				return
			}
		}
	}
}

// readAvailable fills buf from offset off as far as the source goes. A short read at the end of the source is
// not an error.
func readAvailable(r io.ReaderAt, buf []byte, off int64) (int, error) {
	if off < 0 {
		return 0, nil
	}
	n, err := r.ReadAt(buf, off)
	if err == io.EOF {
		err = nil
	}
	return n, err
}
