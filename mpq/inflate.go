package mpq

import "sync"

var fixedCodes = sync.OnceValue(func() *inflater {
	var lengths [maxLits + maxDists]uint8
	for i := range lengths {
		switch {
		case i < 144, i >= 280 && i < maxLits:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 5
		}
	}
	d := new(inflater)
	d.lits, _ = buildCodes(d.lits, litRoot, lengths[:maxLits], litMeaning[:])
	d.dists, _ = buildCodes(d.dists, distRoot, lengths[maxLits:], distMeaning[:])
	return d
})

var inflaters = sync.Pool{New: func() any { return new(inflater) }}

// inflater holds the tables of the current block; its memory is kept from sector to sector.
type inflater struct {
	lits, dists, meta []code
	lengths           [maxLits + maxDists]uint8
}

// inflate unpacks zlib data. The two bytes before the stream and the sum after it are not looked at: protectors
// falsify them, and what counts is that the data comes out. It is our own because maps consist of small sectors: the
// reader of the standard library is made for long streams and takes three times as long.
func inflate(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < 2 {
		return dst, errCutShort
	}
	d := inflaters.Get().(*inflater)
	defer inflaters.Put(d)
	start, end := len(dst), len(dst)+limit
	in := bitReader{src: src[2:]}
	for {
		in.fill()
		final, kind := in.take(1), in.take(2)
		var err error
		switch {
		case in.short:
			err = errCutShort
		case kind == 0:
			dst, err = inflateStored(dst, &in, end)
		case kind == 1:
			fixed := fixedCodes()
			dst, err = inflateBlock(dst, &in, start, end, fixed.lits, fixed.dists)
		case kind == 2:
			if err = d.readCodes(&in); err == nil {
				dst, err = inflateBlock(dst, &in, start, end, d.lits, d.dists)
			}
		default:
			err = corrupt("a block of kind 3")
		}
		switch {
		case err == errOverrun:
			return dst, err
		case err != nil && len(dst) < end:
			return dst, err
		case err != nil || final == 1:
			return dst, nil // rubbish after the data is no fault
		}
	}
}

// inflateStored copies a block that is not packed: from the next whole byte, u16 length, the same inverted, bytes.
func inflateStored(dst []byte, in *bitReader, end int) ([]byte, error) {
	in.take(in.have & 7)
	size, inverted := in.take(16), in.take(16)
	if in.short {
		return dst, errCutShort
	}
	if size != ^inverted&0xFFFF {
		return dst, corrupt("a stored block has a wrong length")
	}
	src := in.rest()
	if n := min(int(size), end-len(dst)); n > len(src) {
		return dst, errCutShort
	}
	if int(size) > end-len(dst) {
		return dst, errOverrun
	}
	in.reset(src[size:])
	return append(dst, src[:size]...), nil
}

// readCodes reads the tables of a block: how many codes there are of each sort, then the lengths of the codes in which
// the lengths of the codes come.
func (d *inflater) readCodes(in *bitReader) error {
	lits, dists, metas := int(in.take(5))+257, int(in.take(5))+1, int(in.take(4))+4
	if lits > 286 {
		return corrupt("a block has %d codes, and there are 286", lits)
	}
	var meta [metaCodes]uint8
	for _, i := range []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}[:metas] {
		in.fill()
		meta[i] = uint8(in.take(3))
	}
	var err error
	if d.meta, err = buildCodes(d.meta, metaRoot, meta[:], metaMeaning[:]); err != nil {
		return err
	}
	lengths := d.lengths[:lits+dists]
	for i := 0; i < len(lengths); {
		in.fill()
		c := d.meta[in.bits&(1<<metaRoot-1)]
		in.take(c.length())
		if c.length() == 0 {
			return corrupt("a block uses a code that it does not have")
		}
		repeat, value := 1, uint8(c.value())
		switch c.value() {
		case 16:
			if i == 0 {
				return corrupt("a block repeats the length before the first")
			}
			repeat, value = 3+int(in.take(2)), lengths[i-1]
		case 17:
			repeat, value = 3+int(in.take(3)), 0
		case 18:
			repeat, value = 11+int(in.take(7)), 0
		}
		if in.short {
			return errCutShort
		}
		if repeat > len(lengths)-i {
			return corrupt("a block gives lengths for more codes than it has")
		}
		for range repeat {
			lengths[i] = value
			i++
		}
	}
	if d.lits, err = buildCodes(d.lits, litRoot, lengths[:lits], litMeaning[:]); err != nil {
		return err
	}
	d.dists, err = buildCodes(d.dists, distRoot, lengths[lits:], distMeaning[:])
	return err
}

// inflateBlock unpacks one block. start is where the data begins in dst and end is where it has to end.
func inflateBlock(dst []byte, in *bitReader, start, end int, lits, dists []code) ([]byte, error) {
	for {
		in.fill() // a length and a distance take 48 bits at most
		c := lits[in.bits&(1<<litRoot-1)]
		if c&kindBits == kindLink {
			c = lits[c.value()+int(in.bits>>litRoot&(1<<c.extra()-1))]
		}
		if in.drop(c.length()); c.length() == 0 || in.short {
			return dst, brokenCode(in)
		}
		switch c & kindBits {
		case kindLiteral:
			if len(dst) >= end {
				return dst, errOverrun
			}
			dst = append(dst, byte(c.value()))
			continue
		case kindEnd:
			return dst, nil
		}
		length := c.value() + int(in.take(c.extra()))
		c = dists[in.bits&(1<<distRoot-1)]
		if c&kindBits == kindLink {
			c = dists[c.value()+int(in.bits>>distRoot&(1<<c.extra()-1))]
		}
		in.drop(c.length())
		distance := c.value() + int(in.take(c.extra()))
		switch {
		case c.length() == 0 || in.short:
			return dst, brokenCode(in)
		case distance > len(dst)-start:
			return dst, corrupt("it copies from %d bytes back, where it has only %d", distance, len(dst)-start)
		case length > end-len(dst):
			return dst, errOverrun
		}
		dst = appendCopy(dst, distance, length, end)
	}
}

func brokenCode(in *bitReader) error {
	if in.short || in.have < maxCode {
		return errCutShort
	}
	return corrupt("it uses a code that it does not have")
}
