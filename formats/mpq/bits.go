package mpq

import "encoding/binary"

// bitReader reads bits from a byte slice, lowest bit first. Reading past the end returns unspecified bits and
// sets short.
type bitReader struct {
	src   []byte
	pos   int    // index of the next byte to load into bits
	bits  uint64 // the next have bits, starting at bit 0; higher bits may be loaded already
	have  uint
	short bool
}

// fill loads at least 56 bits, or all that remain.
func (r *bitReader) fill() {
	if len(r.src)-r.pos >= 8 {
		r.bits |= binary.LittleEndian.Uint64(r.src[r.pos:]) << r.have
		n := (63 - r.have) >> 3
		r.pos += int(n)
		r.have += n * 8
		return
	}
	for r.have <= 56 && r.pos < len(r.src) {
		r.bits |= uint64(r.src[r.pos]) << r.have
		r.pos++
		r.have += 8
	}
}

// take returns the next n bits. All bits taken after a fill must fit into its 56 bits.
func (r *bitReader) take(n uint) uint {
	v := uint(r.bits) & (1<<n - 1)
	r.drop(n)
	return v
}

func (r *bitReader) drop(n uint) {
	if n > r.have {
		r.short = true
		n = r.have
	}
	r.bits >>= n
	r.have -= n
}
