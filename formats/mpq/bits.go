package mpq

import "encoding/binary"

// bitReader takes bits from the lowest up. Bits past the end mean nothing: short says so.
type bitReader struct {
	src   []byte
	pos   int    // the next byte that is not in bits
	bits  uint64 // the next have bits; above them may stand what follows
	have  uint
	short bool
}

// fill makes at least 56 bits ready if there are as many.
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

// take returns the next n bits, of which there must be a fill's worth at most since the last fill.
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
