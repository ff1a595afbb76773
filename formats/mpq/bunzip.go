package mpq

import (
	"slices"
	"sync"
)

const (
	bzip2Block    = 0x314159265359 // marks the start of a block
	bzip2End      = 0x177245385090 // marks the end of the stream
	bzip2Step     = 100_000        // symbols per block for each compression level
	bzip2MaxCode  = 20             // longest code in bits
	bzip2MaxTrees = 6
	bzip2Group    = 50  // symbols coded with the same tree
	bzip2Symbols  = 258 // 255 moved-to-front bytes, two run digits, the end mark

	bzip2Poly = 0x04C11DB7 // CRC-32 polynomial, highest bit first
)

var bunzips = sync.Pool{New: func() any { return new(bunzip) }}

var bzip2Sums = func() (table [256]uint32) {
	for i := range table {
		v := uint32(i) << 24
		for range 8 {
			v = v<<1 ^ bzip2Poly*(v>>31)
		}
		table[i] = v
	}
	return table
}()

// bunzip decompresses bzip2 streams. It replaces the standard library's reader, which allocates 400 kB per
// stream, because maps consist of many small sectors.
type bunzip struct {
	in        bitsFromTop
	symbols   []uint32 // of a block: the byte in the low 8 bits, the index of the next symbol above
	selectors []uint8
	trees     [bzip2MaxTrees]bzip2Tree
}

// bzip2Tree is a canonical Huffman code: the number of codes of each length, and the symbols ordered by code.
type bzip2Tree struct {
	count   [bzip2MaxCode + 1]int
	symbols [bzip2Symbols]uint16
}

// unbzip2 decompresses a stream: "BZh" · level u8, '1' to '9' · blocks, each after a 48-bit mark · end mark ·
// checksum u32.
func unbzip2(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < 4 || string(src[:3]) != "BZh" || src[3] < '1' || src[3] > '9' {
		return dst, corrupt("it is not bzip2 data")
	}
	d := bunzips.Get().(*bunzip)
	defer bunzips.Put(d)
	d.in = bitsFromTop{src: src[4:]}
	end := len(dst) + limit
	for {
		full := len(dst) == end
		mark := uint64(d.in.take(24))<<24 | uint64(d.in.take(24))
		var err error
		switch {
		case d.in.short:
			err = errCutShort
		case mark == bzip2End:
			return dst, nil
		case mark != bzip2Block:
			err = corrupt("a bzip2 block begins with %012x", mark)
		default:
			dst, err = d.block(dst, end, int(src[3]-'0')*bzip2Step)
		}
		if full && err != nil && err != errOverrun {
			return dst, nil // trailing bytes after the data are allowed
		}
		if err != nil {
			return dst, err
		}
	}
}

// block decompresses a block: checksum u32 · randomized 1 bit · start of the text 24 bits · set of used bytes
// · trees and their selectors · codes of runs and of positions in the move-to-front list.
func (d *bunzip) block(dst []byte, end, size int) ([]byte, error) {
	sum := d.in.take(16)<<16 | d.in.take(16)
	if d.in.take(1) != 0 {
		return dst, corrupt("a bzip2 block is randomized, as before 1997")
	}
	origin := int(d.in.take(24))
	var list []byte
	for groups, i := d.in.take(16), 0; i < 16; i++ {
		if groups>>(15-i)&1 == 0 {
			continue
		}
		for bytes, j := d.in.take(16), 0; j < 16; j++ {
			if bytes>>(15-j)&1 != 0 {
				list = append(list, byte(i<<4|j))
			}
		}
	}
	if len(list) == 0 {
		return dst, corrupt("a bzip2 block has no bytes")
	}
	if err := d.readTrees(len(list) + 2); err != nil {
		return dst, err
	}
	// Runs expand the text: at least four of five symbols become text. More symbols than this cannot fit into
	// dst.
	if err := d.readSymbols(list, size, (end-len(dst))/4*5+5); err != nil {
		return dst, err
	}
	if origin >= len(d.symbols) {
		return dst, corrupt("a bzip2 block begins at %d of %d", origin, len(d.symbols))
	}
	d.link()
	return d.text(dst, end, origin, sum)
}

// readTrees reads the trees: number of trees 3 bits · number of selectors 15 bits · selectors as unary
// positions in a move-to-front list · for each tree the length of the first code in 5 bits, then steps to
// each length: 10 increases it, 11 decreases it, 0 ends.
func (d *bunzip) readTrees(symbols int) error {
	trees, selectors := int(d.in.take(3)), int(d.in.take(15))
	if trees < 2 || trees > bzip2MaxTrees || selectors == 0 {
		return corrupt("a bzip2 block has %d trees and %d selectors", trees, selectors)
	}
	if err := d.readSelectors(trees, selectors); err != nil {
		return err
	}
	for i := range trees {
		var lengths [bzip2Symbols]uint8
		length := int(d.in.take(5))
		for s := range symbols {
			for {
				if length < 1 || length > bzip2MaxCode {
					return corrupt("a bzip2 block has a code of %d bits", length)
				}
				if d.in.take(1) == 0 {
					break
				}
				length += 1 - 2*int(d.in.take(1))
			}
			lengths[s] = uint8(length)
		}
		if d.in.short {
			return errCutShort
		}
		d.trees[i].build(lengths[:symbols])
	}
	return nil
}

func (d *bunzip) readSelectors(trees, selectors int) error {
	order := [bzip2MaxTrees]uint8{0, 1, 2, 3, 4, 5}
	d.selectors = d.selectors[:0]
	for range selectors {
		place := 0
		for d.in.take(1) == 1 {
			if place++; place == trees {
				return corrupt("a bzip2 block selects a tree that it does not have")
			}
		}
		if d.in.short {
			return errCutShort
		}
		tree := order[place]
		copy(order[1:place+1], order[:place])
		order[0] = tree
		d.selectors = append(d.selectors, tree)
	}
	return nil
}

func (t *bzip2Tree) build(lengths []uint8) {
	t.count = [bzip2MaxCode + 1]int{}
	at := 0
	for n := 1; n <= bzip2MaxCode; n++ {
		for symbol, length := range lengths {
			if int(length) == n {
				t.symbols[at] = uint16(symbol)
				t.count[n]++
				at++
			}
		}
	}
}

// symbol decodes a code. It returns -1 for an invalid code.
func (t *bzip2Tree) symbol(in *bitsFromTop) int {
	next := in.peek(bzip2MaxCode)
	first, before := 0, 0
	for n := 1; n <= bzip2MaxCode; n++ {
		code := int(next >> (bzip2MaxCode - n))
		if i := code - first; i >= 0 && i < t.count[n] {
			in.drop(uint(n))
			return int(t.symbols[before+i])
		}
		before += t.count[n]
		first = (first + t.count[n]) << 1
	}
	return -1
}

// readSymbols reads a block's bytes in sorted order, before the inverse Burrows-Wheeler transform.
func (d *bunzip) readSymbols(list []byte, size, most int) error {
	d.symbols = d.symbols[:0]
	run, digit := 0, 1
	for n := 0; ; n++ {
		if n/bzip2Group >= len(d.selectors) {
			return corrupt("a bzip2 block has more codes than selectors")
		}
		symbol := d.trees[d.selectors[n/bzip2Group]].symbol(&d.in)
		switch {
		case d.in.short:
			return errCutShort
		case symbol < 0:
			return corrupt("it uses a code that it does not have")
		case symbol < 2: // a digit of a run length, lowest first
			run += digit << symbol
			digit <<= 1
			if run > size {
				return corrupt("a bzip2 block has more than %d bytes", size)
			}
			continue
		}
		switch room := len(d.symbols) + run; {
		case room > size:
			return corrupt("a bzip2 block has more than %d bytes", size)
		case room > most:
			return errOverrun
		}
		if cap(d.symbols)-len(d.symbols) <= run {
			d.symbols = slices.Grow(d.symbols, max(run+1, len(d.symbols)))
		}
		for range run {
			d.symbols = append(d.symbols, uint32(list[0]))
		}
		run, digit = 0, 1
		if symbol == len(list)+1 {
			return nil
		}
		b := list[symbol-1]
		copy(list[1:symbol], list[:symbol-1])
		list[0] = b
		d.symbols = append(d.symbols, uint32(b))
	}
}

// link prepares the inverse Burrows-Wheeler transform: it stores above each byte the index of its successor.
func (d *bunzip) link() {
	var next [256]uint32
	for _, s := range d.symbols {
		next[byte(s)]++
	}
	sum := uint32(0)
	for i, n := range next {
		next[i] = sum
		sum += n
	}
	for i, s := range d.symbols {
		b := byte(s)
		d.symbols[next[b]] |= uint32(i) << 8
		next[b]++
	}
}

// text appends the block's text by following the links. Four equal bytes are followed by a count of further
// repetitions.
func (d *bunzip) text(dst []byte, end, origin int, want uint32) ([]byte, error) {
	at := d.symbols[origin] >> 8
	sum, last, equal := ^uint32(0), -1, 0
	for range d.symbols {
		entry := d.symbols[at]
		b := byte(entry)
		at = entry >> 8
		count := 1
		switch {
		case equal == 4:
			count, b, equal, last = int(b), byte(last), 0, -1
		case int(b) == last:
			equal++
		default:
			equal, last = 1, int(b)
		}
		if count > end-len(dst) {
			return dst, errOverrun
		}
		dst = grow(dst, count, end)
		for range count {
			dst = append(dst, b)
			sum = sum<<8 ^ bzip2Sums[byte(sum>>24)^b]
		}
	}
	if ^sum != want {
		return dst, corrupt("a bzip2 block has the checksum %08x and should have %08x", ^sum, want)
	}
	return dst, nil
}

// bitsFromTop reads bits, highest bit first. Bits past the end are zero and set short.
type bitsFromTop struct {
	src   []byte
	bits  uint64 // the next have bits, starting at the top bit
	have  uint
	short bool
}

// peek returns the next n bits, at most 32, without consuming them.
func (r *bitsFromTop) peek(n uint) uint32 {
	for r.have < n && len(r.src) > 0 {
		r.bits |= uint64(r.src[0]) << (56 - r.have)
		r.src = r.src[1:]
		r.have += 8
	}
	return uint32(r.bits >> (64 - n))
}

func (r *bitsFromTop) drop(n uint) {
	if n > r.have {
		r.short = true
		n = r.have
	}
	r.bits <<= n
	r.have -= n
}

func (r *bitsFromTop) take(n uint) uint32 {
	v := r.peek(n)
	r.drop(n)
	return v
}
