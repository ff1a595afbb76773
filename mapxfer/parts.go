package mapxfer

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"sync/atomic"

	"w3host/protocol/w3gs"
)

const (
	// PartLen is the map data in a full 0x43.
	PartLen = w3gs.MapPartLen
	// HeaderLen is how many bytes stand before the data in a 0x43, frame header included.
	HeaderLen = w3gs.HeaderSize + 14
)

// sumKnown marks a computed CRC; a CRC of zero is a valid one.
const sumKnown = 1 << 32

// Parts is one map cut into 0x43 frames. It never copies the map: Data returns
// pieces of the caller's buffer, which may be a read-only memory mapping. The
// CRC of a part is computed when it is first asked for and kept. All methods may
// be called from many goroutines at once, so every lobby with that map shares
// one Parts.
type Parts struct {
	data []byte
	sums []atomic.Uint64 // CRC-32 of each aligned part, with sumKnown
}

// NewParts cuts data, which nobody may change from now on. It fails on an empty
// map and on one whose size does not fit the u32 of the wire.
func NewParts(data []byte) (*Parts, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("cut map into parts: the map is empty")
	}
	if uint64(len(data)) > math.MaxUint32 {
		return nil, fmt.Errorf("cut map into parts: %d bytes do not fit the 32-bit size on the wire", len(data))
	}
	return &Parts{data: data, sums: make([]atomic.Uint64, (len(data)+PartLen-1)/PartLen)}, nil
}

// size is the map's length in bytes.
func (p *Parts) size() uint32 { return uint32(len(p.data)) }

// End is where the part that begins at off ends: the next multiple of PartLen or
// the map's end. A client that resumes in the middle of a part gets a shorter
// first one, and whole parts after it.
func (p *Parts) End(off uint32) uint32 { return partEnd(off, p.size()) }

// Data is the part that begins at off; it aliases the map and must not be changed.
func (p *Parts) Data(off uint32) []byte { return p.data[off:p.End(off):p.End(off)] }

// appendHeader appends the HeaderLen bytes before Data(off) in its 0x43:
//
//	0  0xF7 · 0x43 · length u16
//	4  to pid u8 · from pid u8 · u32 1
//	10 offset u32 · CRC-32 of the data u32
//
// Only the pids differ between players. The CRC, the one thing here that costs
// anything, comes from the shared table.
func (p *Parts) appendHeader(dst []byte, off uint32, to, from uint8) []byte {
	length := HeaderLen + int(p.End(off)-off)
	dst = append(dst, w3gs.Magic, byte(w3gs.OpMapPart), byte(length), byte(length>>8),
		to, from, 1, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, off)
	return binary.LittleEndian.AppendUint32(dst, p.sum(off))
}

// AppendFrame appends the whole 0x43, for writers that want one flat buffer.
func (p *Parts) AppendFrame(dst []byte, off uint32, to, from uint8) []byte {
	return append(p.appendHeader(dst, off, to, from), p.Data(off)...)
}

// sum is the CRC-32 of the part that begins at off. Two goroutines may compute
// the same one at once; they store the same value.
func (p *Parts) sum(off uint32) uint32 {
	if off%PartLen != 0 {
		return crc32.ChecksumIEEE(p.Data(off))
	}
	slot := &p.sums[off/PartLen]
	if known := slot.Load(); known != 0 {
		return uint32(known)
	}
	sum := crc32.ChecksumIEEE(p.Data(off))
	slot.Store(sumKnown | uint64(sum))
	return sum
}

// FrameLen is the length of the frame of the part that begins at off in a map of size bytes, and end
// is where that part ends.
func FrameLen(off, size uint32) (n int, end uint32) {
	end = partEnd(off, size)
	return HeaderLen + int(end-off), end
}

// partEnd is the end of the part that begins at off in a map of size bytes.
func partEnd(off, size uint32) uint32 {
	return uint32(min(uint64(off)-uint64(off)%PartLen+PartLen, uint64(size)))
}
