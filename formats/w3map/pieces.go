package w3map

import (
	"crypto/sha1"
	"encoding/binary"
	"hash"
	"math/bits"
)

// mark stands between the game's scripts and the map's files in a checksum.
const mark = 0x03F1379E

func rotl3(v uint32) uint32 { return bits.RotateLeft32(v, 3) }

// roll is the hash of one piece: v = rotl(v ^ w, 3) over its little-endian words, then over each byte that is left.
// Pieces come in parts of any length.
type roll struct {
	v    uint32
	tail [4]byte
	n    int // bytes in tail, below 4
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

// pieces computes a map's checksum, and the SHA-1 over the same pieces if the hosted version wants that one.
type pieces struct {
	checksum uint32
	sha      hash.Cloner // nil if not wanted
	current  roll
	cut      int    // Version.ChecksumPiece of the files at hand; 0: they are whole pieces
	filled   int    // bytes of the current piece, where files are cut
	meter    *Meter // of the unpacked bytes; nil for files that are not packed
	script   *finder
}

func newPieces(withSHA1 bool, meter *Meter) *pieces {
	p := &pieces{meter: meter}
	if withSHA1 {
		p.sha = sha1.New().(hash.Cloner)
	}
	return p
}

// Write takes the next part of the current piece: a sector, if it comes from an archive.
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

// clone makes a copy that can be gone back to when a piece turns out to be damaged.
func (p *pieces) clone() *pieces {
	q := *p
	if p.sha != nil {
		q.sha, _ = p.sha.Clone() // SHA-1 can always be cloned
	}
	return &q
}

// endScript ends common.j or blizzard.j, endScripts the both of them.
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
	p.current, p.filled = roll{}, 0 // the end of a file that is cut does not count
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
