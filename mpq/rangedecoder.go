package mpq

import "encoding/binary"

// rangeDecoder takes the bits of LZMA data, each with the odds of its context. Past the end it sets short.
type rangeDecoder struct {
	src   []byte
	width uint32
	code  uint32
	short bool
}

// init begins with the first five bytes, the first of which is always 0.
func (r *rangeDecoder) init(src []byte) {
	r.width = 0xFFFFFFFF
	r.code = binary.BigEndian.Uint32(src[1:])
	r.src = src[5:]
}

func (r *rangeDecoder) normalize() {
	if r.width >= rangeTop {
		return
	}
	r.width <<= 8
	r.code <<= 8
	if len(r.src) == 0 {
		r.short = true
		return
	}
	r.code |= uint32(r.src[0])
	r.src = r.src[1:]
}

func (r *rangeDecoder) bit(p *prob) int {
	bound := r.width >> probBits * uint32(*p)
	bit := 0
	if r.code < bound {
		r.width = bound
		*p += (1<<probBits - *p) >> probMove
	} else {
		r.width -= bound
		r.code -= bound
		*p -= *p >> probMove
		bit = 1
	}
	r.normalize()
	return bit
}

// direct takes n bits of even odds.
func (r *rangeDecoder) direct(n uint) uint32 {
	v := uint32(0)
	for range n {
		r.width >>= 1
		v <<= 1
		if r.code >= r.width {
			r.code -= r.width
			v |= 1
		}
		r.normalize()
	}
	return v
}

// tree takes n bits, the highest first.
func (r *rangeDecoder) tree(probs []prob, n uint) int {
	m := 1
	for range n {
		m = m<<1 | r.bit(&probs[m])
	}
	return m - 1<<n
}

// reverse takes n bits, the lowest first.
func (r *rangeDecoder) reverse(probs []prob, n uint) uint32 {
	m, v := 1, uint32(0)
	for i := range n {
		bit := r.bit(&probs[m])
		m = m<<1 | bit
		v |= uint32(bit) << i
	}
	return v
}

func (r *rangeDecoder) length(l *lzmaLengths, posState int) int {
	if r.bit(&l.choice) == 0 {
		return lzmaMinMatch + r.tree(l.low[posState][:], 3)
	}
	if r.bit(&l.choice2) == 0 {
		return lzmaMinMatch + 8 + r.tree(l.mid[posState][:], 3)
	}
	return lzmaMinMatch + 16 + r.tree(l.high[:], 8)
}
