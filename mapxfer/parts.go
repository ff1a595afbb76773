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
	// PartLen is the map data in a full 0x43, in bytes.
	PartLen = w3gs.MapPartLen
	// HeaderLen is the number of bytes before the data in a 0x43, including the frame header.
	HeaderLen = w3gs.HeaderSize + 14
)

// sumKnown marks a computed CRC, since 0 is a valid CRC.
const sumKnown = 1 << 32

// Parts cuts one map into 0x43 frames. It never copies the map: Data returns slices of the caller's buffer,
// which may be a read-only memory mapping. CRCs are computed on first use and kept. Parts is safe for
// concurrent use, so all lobbies with the same map share one.
type Parts struct {
	data []byte
	sums []atomic.Uint64 // CRC-32 of each aligned part, combined with sumKnown
}

// NewParts returns Parts for data, which must not be modified afterwards. It returns an error if the map is
// empty or its size exceeds the protocol's u32.
func NewParts(data []byte) (*Parts, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("cut map into parts: the map is empty")
	}
	if uint64(len(data)) > math.MaxUint32 {
		return nil, fmt.Errorf("cut map into parts: %d bytes do not fit the 32-bit size on the wire", len(data))
	}
	return &Parts{data: data, sums: make([]atomic.Uint64, (len(data)+PartLen-1)/PartLen)}, nil
}

// size returns the map's length in bytes.
func (p *Parts) size() uint32 { return uint32(len(p.data)) }

// End returns the end of the part that begins at off: the next multiple of PartLen, or the end of the map. A
// client that resumes in the middle of a part gets a shorter first part.
func (p *Parts) End(off uint32) uint32 { return partEnd(off, p.size()) }

// Data returns the part that begins at off. It aliases the map and must not be modified.
func (p *Parts) Data(off uint32) []byte { return p.data[off:p.End(off):p.End(off)] }

// appendHeader appends the HeaderLen bytes before Data(off) in its 0x43:
//
//	0  0xF7 · 0x43 · length u16
//	4  recipient pid u8 · sender pid u8 · u32 1
//	10 offset u32 · CRC-32 of the data u32
//
// Only the pids differ between players. The CRC, the only expensive field, comes from the shared table.
func (p *Parts) appendHeader(dst []byte, off uint32, to, from uint8) []byte {
	length := HeaderLen + int(p.End(off)-off)
	dst = append(dst, w3gs.Magic, byte(w3gs.OpMapPart), byte(length), byte(length>>8),
		to, from, 1, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, off)
	return binary.LittleEndian.AppendUint32(dst, p.sum(off))
}

// AppendFrame appends the whole 0x43 frame.
func (p *Parts) AppendFrame(dst []byte, off uint32, to, from uint8) []byte {
	return append(p.appendHeader(dst, off, to, from), p.Data(off)...)
}

// sum returns the CRC-32 of the part that begins at off. If two goroutines compute it at once, both store the
// same value.
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

// FrameLen returns the frame length of the part that begins at off in a map of size bytes, and the end of
// that part.
func FrameLen(off, size uint32) (n int, end uint32) {
	end = partEnd(off, size)
	return HeaderLen + int(end-off), end
}

// partEnd returns the end of the part that begins at off in a map of size bytes.
func partEnd(off, size uint32) uint32 {
	return uint32(min(uint64(off)-uint64(off)%PartLen+PartLen, uint64(size)))
}
