package mpq

import (
	"encoding/binary"
	"io"
	"iter"
)

const (
	headerStep  = 512       // a header stands at a multiple of this
	headerSize  = 32        // of the oldest format, the only part that counts for Warcraft III
	searchLimit = 128 << 20 // Warcraft III looks no further for a header
	searchChunk = 64 << 10

	// maxHeaders bounds how many headers are tried: a file may be full of false ones.
	maxHeaders = 16

	// countMask has the bits of the two table counts that Storm reads; protectors set the bits above.
	countMask = 0x0FFFFFFF
)

var magicArchive = [4]byte{'M', 'P', 'Q', 0x1A}

// header holds the fields of an archive header that are used:
//
//	0 magic · 4 header size · 8 archive size · 12 u16 version · 14 u16 sector shift
//	16 hash table offset · 20 block table offset · 24 hash entries · 28 block entries
//
// The archive size is not read: Warcraft III does not look at it, so protected maps falsify it. Neither is the version,
// which is no more than a number there.
type header struct {
	base       int64 // where the header stands; offsets count from here
	claimed    uint32
	sectorSize uint32
	hashPos    uint32
	blockPos   uint32
	hashCount  uint32
	blockCount uint32
}

// abs turns an offset in the archive into one in the source. Protectors count on the 32-bit wrap: a table before
// the header has a negative offset.
func (h *header) abs(off uint32) int64 { return int64(uint32(h.base) + off) }

// parseHeader reads the header in b, which begins at base, and says whether its tables can be where it says.
// size is that of the source.
func parseHeader(b []byte, base, size int64) (header, bool) {
	if len(b) < headerSize || [4]byte(b) != magicArchive {
		return header{}, false
	}
	le := binary.LittleEndian
	h := header{
		base:       base,
		claimed:    le.Uint32(b[4:]),
		sectorSize: headerStep << (b[14] & 31), // 32-bit shift by the low byte, as the game does
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

// headers are those that may be the archive's, each with its tables where it says: first those that Warcraft III would
// take, in file order, then those that are too short by their own word. An error of the source ends them.
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

// readAvailable fills buf from off as far as the source goes. A source that ends early is no error.
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
