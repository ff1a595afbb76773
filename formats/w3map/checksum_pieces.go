package w3map

import (
	"crypto/sha1"
	"encoding/binary"
	"hash"
	"math/bits"
)

// mark is hashed between the game's scripts and the map's files.
const mark = 0x03F1379E

func rotl3(v uint32) uint32 { return bits.RotateLeft32(v, 3) }

// roll is the rolling hash of one piece: v = rotl(v ^ w, 3) over its little-endian words, then over each
// remaining byte. Data may be written in parts of any length.
type roll struct {
	v    uint32
	tail [4]byte
	n    int // bytes in tail, 0 to 3
}

func (r *roll) write(p []byte) {
	if r.n > 0 {
		k := copy(r.tail[r.n:], p)
		r.n, p = r.n+k, p[k:]
		if r.n < 4 {
			return
		}
		r.v, r.n = rotl3(r.v^binary.LittleEndian.Uint32(r.tail[:])), 0
	}
	v := r.v
	for ; len(p) >= 4; p = p[4:] {
		v = rotl3(v ^ binary.LittleEndian.Uint32(p))
	}
	r.v = v
	r.n = copy(r.tail[:], p)
}

func (r *roll) sum() uint32 {
	v := r.v
	for _, b := range r.tail[:r.n] {
		v = rotl3(v ^ uint32(b))
	}
	return v
}

// pieces computes a map's checksum and, if requested, the SHA-1 over the same contents.
type pieces struct {
	checksum uint32
	sha      hash.Cloner // nil if not requested
	current  roll
	cut      int    // Version.ChecksumPiece for map files; 0 hashes each file as one piece
	filled   int    // bytes of the current piece, if files are cut
	meter    *Meter // counts unpacked bytes; nil for uncompressed input
	script   *finder
}

func newPieces(withSHA1 bool, meter *Meter) *pieces {
	p := &pieces{meter: meter}
	if withSHA1 {
		p.sha = sha1.New().(hash.Cloner)
	}
	return p
}

// Write adds data to the current piece. Data from an archive comes one sector at a time.
func (p *pieces) Write(data []byte) (int, error) {
	if p.meter != nil {
		if _, err := p.meter.Write(data); err != nil {
			return 0, err
		}
	}
	if p.sha != nil {
		p.sha.Write(data)
	}
	if p.script != nil {
		p.script.scan(data)
	}
	n := len(data)
	for p.cut > 0 && p.filled+len(data) >= p.cut {
		rest := data[p.cut-p.filled:]
		p.current.write(data[:p.cut-p.filled])
		p.endPiece()
		data = rest
	}
	p.current.write(data)
	p.filled += len(data)
	return n, nil
}

// clone returns a copy of the state, to restore it if a file turns out to be damaged.
func (p *pieces) clone() *pieces {
	q := *p
	if p.sha != nil {
		q.sha, _ = p.sha.Clone() // SHA-1 states can always be cloned
	}
	return &q
}

// endScript ends the hash of common.j or blizzard.j; endScripts ends the hash of both.
func (p *pieces) endScript() {
	p.checksum ^= p.current.sum()
	p.current, p.filled = roll{}, 0
}

func (p *pieces) endScripts() {
	p.checksum = rotl3(rotl3(p.checksum) ^ mark)
	if p.sha != nil {
		p.sha.Write(binary.LittleEndian.AppendUint32(nil, mark))
	}
}

// endFile ends one of the map's files.
func (p *pieces) endFile() {
	if p.cut == 0 {
		p.endPiece()
	}
	p.current, p.filled = roll{}, 0 // the incomplete last piece of a cut file is not hashed
}

func (p *pieces) endPiece() {
	p.checksum = rotl3(p.checksum ^ p.current.sum())
	p.current, p.filled = roll{}, 0
}

func (p *pieces) sum(sha []byte) uint32 {
	if p.sha != nil {
		p.sha.Sum(sha[:0])
	}
	return p.checksum
}
