package mpq

import "encoding/binary"

// Names and numbers of the LZMA format, as in its public specification.
const (
	lzmaHeader = 14 // u8 filter, 0 · u8 lc + 9*(lp + 5*pb) · u32 dictionary · u64 size

	lzmaStates     = 12
	lzmaLitStates  = 7 // states below follow a literal
	lzmaPosStates  = 16
	lzmaLenStates  = 4
	lzmaSlots      = 64
	lzmaFirstModel = 4  // distance slots from here have low bits
	lzmaLastModel  = 14 // and from here their middle bits are sent as they are
	lzmaFull       = 1 << (lzmaLastModel / 2)
	lzmaAlignBits  = 4
	lzmaMinMatch   = 2

	probBits = 11
	probInit = 1 << (probBits - 1)
	probMove = 5
	rangeTop = 1 << 24
)

type prob = uint16

// lzmaLengths is the model of match lengths.
type lzmaLengths struct {
	choice, choice2 prob
	low, mid        [lzmaPosStates][1 << 3]prob
	high            [1 << 8]prob
}

// lzma is the model of one stream.
type lzma struct {
	rc       rangeDecoder
	literals []prob

	isMatch               [lzmaStates][lzmaPosStates]prob
	isRep, isRep0, isRep1 [lzmaStates]prob
	isRep2                [lzmaStates]prob
	isRep0Long            [lzmaStates][lzmaPosStates]prob
	slots                 [lzmaLenStates][lzmaSlots]prob
	special               [lzmaFull - lzmaLastModel + 1]prob
	align                 [1 << lzmaAlignBits]prob
	lengths, repLengths   lzmaLengths
}

// unlzma unpacks LZMA data, which Warcraft III does not know and later archives may hold.
//
// StormLib 9.22 wrote the model byte over the filter byte and left its own place unset; its archives are still about.
// No filter is known but 0, so anything else is that model byte.
func unlzma(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < lzmaHeader+5 {
		return dst, errCutShort
	}
	props := int(src[1])
	if src[0] != 0 {
		props = int(src[0])
	}
	size := binary.LittleEndian.Uint64(src[6:])
	switch {
	case props >= 9*5*5:
		return dst, corrupt("it is no LZMA data: it begins with %02x %02x", src[0], src[1])
	case size > uint64(limit):
		return dst, errOverrun
	}
	lc, lp, pb := uint(props%9), uint(props/9%5), uint(props/45)
	if lc+lp > 4 {
		return dst, corrupt("its LZMA model has %d bits, of which 4 are in use", lc+lp) // as LZMA2 has it: it bounds memory
	}
	d := &lzma{literals: make([]prob, 0x300<<(lc+lp))}
	d.rc.init(src[lzmaHeader:])
	d.reset()
	return d.decode(dst, int(size), lc, lp, pb)
}

func (d *lzma) decode(dst []byte, size int, lc, lp, pb uint) ([]byte, error) {
	start := len(dst)
	end := start + size
	posMask, litMask := 1<<pb-1, 1<<lp-1
	var rep [4]uint32
	state := 0
	for len(dst) < end {
		if d.rc.short {
			return dst, errCutShort
		}
		pos := len(dst) - start
		posState := pos & posMask
		if d.rc.bit(&d.isMatch[state][posState]) == 0 {
			prev := byte(0)
			if pos > 0 {
				prev = dst[len(dst)-1]
			}
			probs := d.literals[0x300*((pos&litMask)<<lc+int(prev)>>(8-lc)):][:0x300]
			match := 0
			if state >= lzmaLitStates {
				match = int(dst[len(dst)-int(rep[0])-1]) | 0x100 // known to exist: a match came just before
			}
			dst = append(dst, d.literal(probs, match))
			state = afterLiteral(state)
			continue
		}
		length := 0
		switch repeats := d.rc.bit(&d.isRep[state]) == 1; {
		case repeats && pos == 0:
			return dst, corrupt("it copies before there is anything")
		case repeats:
			length, state = d.repeat(&rep, state, posState)
		default:
			rep[3], rep[2], rep[1] = rep[2], rep[1], rep[0]
			length = d.rc.length(&d.lengths, posState)
			rep[0] = d.distance(length)
			state = afterMatch(state, 7)
			if rep[0] == 0xFFFFFFFF {
				return dst, nil // the end mark
			}
		}
		distance := int64(rep[0]) + 1
		switch {
		case distance > int64(pos):
			return dst, corrupt("it copies from %d bytes back, where it has only %d", distance, pos)
		case length > end-len(dst):
			return dst, errOverrun
		}
		dst = appendCopy(dst, int(distance), length, end)
	}
	if d.rc.short {
		return dst, errCutShort
	}
	return dst, nil
}

// repeat decodes a copy from one of the last distances, which comes to the front.
func (d *lzma) repeat(rep *[4]uint32, state, posState int) (length, next int) {
	if d.rc.bit(&d.isRep0[state]) == 1 {
		d.pickRep(rep, state)
	} else if d.rc.bit(&d.isRep0Long[state][posState]) == 0 {
		return 1, afterMatch(state, 9)
	}
	return d.rc.length(&d.repLengths, posState), afterMatch(state, 8)
}

// literal decodes a byte. After a match, the byte that the match would have gone on with (with bit 8 set) is part
// of the context until the first bit that differs.
func (d *lzma) literal(probs []prob, match int) byte {
	symbol := 1
	for match != 0 && symbol < 0x100 {
		match <<= 1
		want := match >> 8 & 1
		bit := d.rc.bit(&probs[(1+want)<<8+symbol])
		symbol = symbol<<1 | bit
		if bit != want {
			break
		}
	}
	for symbol < 0x100 {
		symbol = symbol<<1 | d.rc.bit(&probs[symbol])
	}
	return byte(symbol)
}

// pickRep moves the second, third or fourth of the last distances to the front.
func (d *lzma) pickRep(rep *[4]uint32, state int) {
	i := 1
	if d.rc.bit(&d.isRep1[state]) == 1 {
		i = 2 + d.rc.bit(&d.isRep2[state])
	}
	picked := rep[i]
	copy(rep[1:i+1], rep[:i])
	rep[0] = picked
}

func (d *lzma) distance(length int) uint32 {
	slot := d.rc.tree(d.slots[min(length-lzmaMinMatch, lzmaLenStates-1)][:], 6)
	if slot < lzmaFirstModel {
		return uint32(slot)
	}
	low := uint(slot>>1 - 1)
	dist := uint32(2|slot&1) << low
	if slot < lzmaLastModel {
		return dist + d.rc.reverse(d.special[int(dist)-slot:], low)
	}
	return dist + d.rc.direct(low-lzmaAlignBits)<<lzmaAlignBits + d.rc.reverse(d.align[:], lzmaAlignBits)
}

func afterLiteral(state int) int {
	switch {
	case state < 4:
		return 0
	case state < 10:
		return state - 3
	}
	return state - 6
}

// afterMatch: next is the state after a literal, and three or so more after something else.
func afterMatch(state, next int) int {
	if state < lzmaLitStates {
		return next
	}
	if next == 7 {
		return 10
	}
	return 11
}

func (d *lzma) reset() {
	fill := func(probs []prob) {
		for i := range probs {
			probs[i] = probInit
		}
	}
	fill(d.literals)
	for i := range lzmaStates {
		fill(d.isMatch[i][:])
		fill(d.isRep0Long[i][:])
		d.isRep[i], d.isRep0[i], d.isRep1[i], d.isRep2[i] = probInit, probInit, probInit, probInit
	}
	for i := range d.slots {
		fill(d.slots[i][:])
	}
	fill(d.special[:])
	fill(d.align[:])
	for _, l := range []*lzmaLengths{&d.lengths, &d.repLengths} {
		l.choice, l.choice2 = probInit, probInit
		for i := range lzmaPosStates {
			fill(l.low[i][:])
			fill(l.mid[i][:])
		}
		fill(l.high[:])
	}
}
