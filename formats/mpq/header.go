package mpq

import (
	"encoding/binary"
	"io"
)

const (
	headerStep  = 512       // a header stands at a multiple of this
	headerSize  = 32        // of the oldest format, the only part that counts for Warcraft III
	wideSize    = 44        // with the fields that archives above 4 GiB need
	searchLimit = 128 << 20 // Warcraft III looks no further for a header
	searchChunk = 64 << 10

	// maxHeaders bounds how many headers are tried: a file may be full of false ones.
	maxHeaders = 16

	// countMask is what Storm leaves of the two table counts; protectors set the bits above.
	countMask = 0x0FFFFFFF
)

var (
	magicArchive  = [4]byte{'M', 'P', 'Q', 0x1A}
	magicUserData = [4]byte{'M', 'P', 'Q', 0x1B}
)

// header is what is used of an archive header:
//
//	0 magic · 4 header size · 8 archive size · 12 u16 version · 14 u16 sector shift
//	16 hash table offset · 20 block table offset · 24 hash entries · 28 block entries
//	from version 1: 32 u64 offset of the high words of block offsets · 40 u16, 42 u16 high words of the table offsets
//
// The archive size is not read: Warcraft III does not look at it, so protected maps falsify it.
type header struct {
	base       int64 // where the header stands; offsets count from here
	claimed    uint32
	version    uint16
	sectorSize uint32
	hashPos    uint64
	blockPos   uint64
	hashCount  uint32
	blockCount uint32
	highPos    uint64
	wide       bool // offsets are 64 bits; else they wrap at 32 bits as they do in the game
}

// abs turns an offset in the archive into one in the source. Protectors count on the 32-bit wrap: a table before
// the header has a negative offset.
func (h *header) abs(off uint64) int64 {
	if h.wide {
		return h.base + int64(off)
	}
	return int64(uint32(uint64(h.base) + off))
}

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
		version:    le.Uint16(b[12:]),
		sectorSize: headerStep << (b[14] & 31), // 32-bit shift by the low byte, as the game does
		hashPos:    uint64(le.Uint32(b[16:])),
		blockPos:   uint64(le.Uint32(b[20:])),
		hashCount:  le.Uint32(b[24:]) & countMask,
		blockCount: le.Uint32(b[28:]) & countMask,
	}
	// Below 4 GiB the high words can only be zero or false, and in Warcraft III the version is no more than a number.
	if h.version > 0 && h.claimed >= wideSize && len(b) >= wideSize && size > 1<<32 {
		h.wide = true
		h.highPos = le.Uint64(b[32:])
		h.hashPos |= uint64(le.Uint16(b[40:])) << 32
		h.blockPos |= uint64(le.Uint16(b[42:])) << 32
	}
	hash, block := h.abs(h.hashPos), h.abs(h.blockPos)
	sane := h.sectorSize != 0 && h.hashCount != 0 &&
		hash >= 0 && hash <= size-entrySize && block >= 0 && block <= size
	return h, sane
}

// searchHeaders gives try one header after another until it says stop: first those that Warcraft III would take,
// in file order, then those that are too short by their own word, then those that user data points to.
func searchHeaders(r io.ReaderAt, size int64, try func(header) (stop bool)) error {
	var later, pointers []int64
	tried := 0
	buf := make([]byte, min(size, searchChunk))
	for at := int64(0); at < min(size, searchLimit); at += searchChunk {
		n, err := readAvailable(r, buf, at)
		if err != nil {
			return err
		}
		for i := 0; i+headerSize <= n; i += headerStep {
			off := at + int64(i)
			switch [4]byte(buf[i:]) {
			case magicArchive:
				switch h, ok := parseHeader(buf[i:n], off, size); {
				case !ok:
				case h.claimed < headerSize:
					later = append(later, off)
				default:
					if tried++; try(h) || tried == maxHeaders {
						return nil
					}
				}
			case magicUserData:
				// Warcraft III knows no user data, and protectors plant false ones: hence last.
				pointers = append(pointers, off+int64(binary.LittleEndian.Uint32(buf[i+8:])))
			}
		}
	}
	later = append(later[:min(len(later), maxHeaders)], pointers[:min(len(pointers), maxHeaders)]...)
	return tryHeaders(r, size, later, try)
}

// tryHeaders gives try the headers at these places until it says stop.
func tryHeaders(r io.ReaderAt, size int64, places []int64, try func(header) (stop bool)) error {
	for _, off := range places {
		var b [wideSize]byte
		n, err := readAvailable(r, b[:], off)
		if err != nil {
			return err
		}
		if h, ok := parseHeader(b[:n], off, size); ok && try(h) {
			return nil
		}
	}
	return nil
}

// readAvailable fills buf from off as far as the source goes. A source that ends early is no error.
func readAvailable(r io.ReaderAt, buf []byte, off int64) (int, error) {
	n := 0
	if off < 0 {
		return 0, nil
	}
	for n < len(buf) {
		m, err := r.ReadAt(buf[n:], off+int64(n))
		n += m
		if err == io.EOF || (err == nil && m == 0) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
