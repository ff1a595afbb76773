package mpq

import (
	"fmt"
	"slices"
)

// The mask byte at the front of a packed sector: which methods it went through.
const (
	maskZlib   = 0x02
	maskPKWARE = 0x08
	maskBzip2  = 0x10

	// Only sound is packed by Huffman codes and two kinds of ADPCM, which loses details. A
	// host reads no sound.
	maskSound = 0x01 | 0x40 | 0x80

	// Later games have two methods more, which no client reads. The mask of LZMA stands for zlib and bzip2 in old archives.
	maskSparse = 0x20
	maskLZMA   = 0x12
)

var (
	errOverrun  = fmt.Errorf("%w: it unpacks to more than it claims", ErrCorrupt)
	errCutShort = fmt.Errorf("%w: its packed data ends early", ErrCorrupt)
)

// A method appends the bytes that src unpacks to, but no more than limit bytes; errOverrun says that there was more.
// It never allocates for a claimed size, only for bytes that came out.
type method func(dst, src []byte, limit int) ([]byte, error)

// methods is in the order of unpacking.
var methods = [...]struct {
	mask   byte
	unpack method
}{
	{maskBzip2, unbzip2},
	{maskPKWARE, explode},
	{maskZlib, inflate},
}

// expand appends the want bytes that a sector with a mask byte unpacks to.
func expand(dst, sector []byte, want int) ([]byte, error) {
	if len(sector) == 0 {
		return nil, errCutShort
	}
	mask, src := sector[0], sector[1:]
	switch {
	case mask&maskSound != 0:
		return nil, fmt.Errorf("%w (mask %02x)", ErrSound, mask)
	case mask&maskSparse != 0:
		return nil, fmt.Errorf("%w: sparse data (mask %02x), which Warcraft III does not read", ErrUnsupported, mask)
	case mask == maskLZMA && len(src) > 0 && src[0] != 'B': // bzip2 begins with its name, BZh
		return nil, fmt.Errorf("%w: LZMA (mask %02x), which Warcraft III does not read", ErrUnsupported, mask)
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

// finish runs the last method. A sector that ends in good order but short is filled with zeros: there are maps with
// such sectors, and the game plays them. Since zeros cost the file nothing, only so many are given.
func finish(unpack method, dst, src []byte, want int) ([]byte, error) {
	start := len(dst)
	dst, err := unpack(reserve(dst, src, want), src, want)
	if err != nil {
		return nil, err
	}
	return fill(dst, want-(len(dst)-start))
}

// reserve makes room for limit bytes, or for what src seems to be worth: the rest grows as it comes.
func reserve(dst, src []byte, limit int) []byte {
	return slices.Grow(dst, min(limit, 64*len(src)+slack))
}

// fill appends the n zeros that a sector lacks.
func fill(dst []byte, n int) ([]byte, error) {
	if n > slack {
		return nil, corrupt("it lacks %d bytes", n)
	}
	dst = grow(dst, n, len(dst)+n)
	clear(dst[len(dst) : len(dst)+n])
	return dst[:len(dst)+n], nil
}

// appendCopy repeats length bytes from distance back. A copy may run into itself: then it repeats its own output. dst will
// not have more than end bytes.
func appendCopy(dst []byte, distance, length, end int) []byte {
	n := len(dst)
	dst = grow(dst, length, end)[:n+length]
	for done := 0; done < length; {
		done += copy(dst[n+done:], dst[n-distance:n+done])
	}
	return dst
}
