package mpq

import (
	"fmt"
	"slices"
)

// Bits of the mask byte at the start of a compressed sector, which lists the methods applied.
const (
	maskZlib   = 0x02
	maskPKWARE = 0x08
	maskBzip2  = 0x10

	// Huffman coding and two kinds of ADPCM, used only for sound.
	maskSound = 0x01 | 0x40 | 0x80

	// Methods of later games, which Warcraft III does not read. In old archives the value of LZMA means zlib
	// and bzip2.
	maskSparse = 0x20
	maskLZMA   = 0x12
)

var (
	errOverrun  = fmt.Errorf("%w: it unpacks to more than it claims", ErrCorrupt)
	errCutShort = fmt.Errorf("%w: its packed data ends early", ErrCorrupt)
)

// method appends the data that src unpacks to, at most limit bytes, and returns errOverrun if there is more.
// It must allocate for actual output only, not for a claimed size.
type method func(dst, src []byte, limit int) ([]byte, error)

// methods lists the methods in the order of decompression.
var methods = [...]struct {
	mask   byte
	unpack method
}{
	{maskBzip2, unbzip2},
	{maskPKWARE, explode},
	{maskZlib, inflate},
}

// expand appends the want bytes that a sector with mask byte unpacks to.
func expand(dst, sector []byte, want int) ([]byte, error) {
	if len(sector) == 0 {
		return nil, errCutShort
	}
	mask, src := sector[0], sector[1:]
	switch {
	case mask&maskSound != 0:
		return nil, fmt.Errorf("%w (mask %02x)", ErrSound, mask)
	case mask&maskSparse != 0:
		return nil, fmt.Errorf("%w: sparse data (mask %02x), which Warcraft III cannot read", ErrUnsupported, mask)
	case mask == maskLZMA && len(src) > 0 && src[0] != 'B': // bzip2 data starts with "BZh"
		return nil, fmt.Errorf("%w: LZMA (mask %02x), which Warcraft III cannot read", ErrUnsupported, mask)
	}
	left := mask
	for _, m := range methods {
		if left&m.mask == 0 {
			continue
		}
		left &^= m.mask
		if left == 0 {
			return finish(m.unpack, dst, src, want)
		}
		var err error
		if src, err = m.unpack(reserve(nil, src, want), src, want); err != nil {
			return nil, fmt.Errorf("mask %02x: %w", mask, err)
		}
	}
	return nil, fmt.Errorf("%w: mask %02x", ErrUnsupported, mask)
}

// finish applies the last method. Like the game, it pads a well-formed but short sector with zeros, up to
// slack bytes.
func finish(unpack method, dst, src []byte, want int) ([]byte, error) {
	start := len(dst)
	dst, err := unpack(reserve(dst, src, want), src, want)
	if err != nil {
		return nil, err
	}
	return fill(dst, want-(len(dst)-start))
}

// reserve grows dst for the expected output: limit bytes, or a multiple of the input if that is less.
func reserve(dst, src []byte, limit int) []byte {
	return slices.Grow(dst, min(limit, 64*len(src)+slack))
}

// fill appends n zeros for data missing from a sector.
func fill(dst []byte, n int) ([]byte, error) {
	if n > slack {
		return nil, corrupt("it lacks %d bytes", n)
	}
	dst = grow(dst, n, len(dst)+n)
	clear(dst[len(dst) : len(dst)+n])
	return dst[:len(dst)+n], nil
}

// appendCopy appends length bytes that start distance bytes before the end. The regions may overlap, which
// repeats the output. end is the final length of dst at most.
func appendCopy(dst []byte, distance, length, end int) []byte {
	n := len(dst)
	dst = grow(dst, length, end)[:n+length]
	for done := 0; done < length; {
		done += copy(dst[n+done:], dst[n-distance:n+done])
	}
	return dst
}
