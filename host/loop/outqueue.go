package loop

import (
	"bytes"

	"w3host/mapxfer"
)

// chunkLen is how much of the map is framed for one write: large enough to be
// cheap, small enough that a chat line waits for little.
const chunkLen = 16 << 10

// outQueue holds the bytes that wait for a socket: first the rest of a write that the
// kernel took in part, then packets, then the pieces of the map.
type outQueue struct {
	rest    []byte
	packets []byte // whole frames back to back
	pieces  []Piece
	limit   int // of rest and packets, in bytes

	pieceBytes int
}

// Piece is a range of the map that is on its way to one player. It becomes
// 0x43 frames only when the socket has room for them.
type Piece struct {
	Parts    *mapxfer.Parts
	At, End  uint32
	To, From uint8
}

func (q *outQueue) packetBytes() int { return len(q.rest) + len(q.packets) }

// push adds a packet; false when that many bytes are not allowed to wait.
func (q *outQueue) push(frame []byte) bool {
	if q.packetBytes()+len(frame) > q.limit {
		return false
	}
	q.packets = append(q.packets, frame...)
	return true
}

// pushPiece adds map data. The scheduler of the transfers bounds it.
func (q *outQueue) pushPiece(p Piece) {
	q.pieceBytes += int(p.End - p.At)
	if n := len(q.pieces); n > 0 && q.pieces[n-1].End == p.At {
		q.pieces[n-1].End = p.End
		return
	}
	q.pieces = append(q.pieces, p)
}

func (q *outQueue) dropPieces() {
	q.pieces, q.pieceBytes = nil, 0
}

// take removes the next bytes for the wire: bytes that were put back, or else the
// packets, or else parts of the map, framed into chunk. Frames are never cut
// here, so packets may overtake parts. The bytes are valid until the next call
// of a method; parts is how many packets of the map are new among them.
func (q *outQueue) take(chunk []byte) (buf []byte, parts int) {
	if buf := q.rest; len(buf) > 0 {
		q.rest = nil
		return buf, 0
	}
	if buf := q.packets; len(buf) > 0 {
		q.packets = nil
		return buf, 0
	}
	chunk = chunk[:0]
	for len(q.pieces) > 0 && len(chunk) < chunkLen {
		p := &q.pieces[0]
		chunk = p.Parts.AppendFrame(chunk, p.At, p.To, p.From)
		next := p.Parts.End(p.At)
		q.pieceBytes -= int(next - p.At)
		p.At = next
		parts++
		if p.At >= p.End {
			q.pieces = q.pieces[1:]
		}
	}
	return chunk, parts
}

// putBack returns the bytes of the last take that were not written. It is copied if the memory
// is shared with others, as that of parts of the map.
func (q *outQueue) putBack(rest []byte, shared bool) {
	if shared {
		rest = bytes.Clone(rest)
	}
	q.rest = rest
}
