package loop

import (
	"bytes"

	"w3host/mapxfer"
)

// chunkLen is the number of map bytes framed for one write. It is large enough to be efficient, and
// small enough that chat lines are not delayed.
const chunkLen = 16 << 10

// outQueue holds the bytes waiting for a socket: first the rest of a partial write, then packets,
// then pieces of the map.
type outQueue struct {
	rest    []byte
	packets []byte // whole frames back to back
	pieces  []Piece
	limit   int // of rest and packets, in bytes

	pieceBytes int
}

// Piece is a range of the map that is being sent to one player. It is split into 0x43 packets only
// when the socket has room for them.
type Piece struct {
	Parts    *mapxfer.Parts
	At, End  uint32
	To, From uint8
}

func (q *outQueue) packetBytes() int { return len(q.rest) + len(q.packets) }

// push adds a packet. It returns false if the limit on queued bytes is exceeded.
func (q *outQueue) push(frame []byte) bool {
	if q.packetBytes()+len(frame) > q.limit {
		return false
	}
	q.packets = append(q.packets, frame...)
	return true
}

// pushPiece adds a piece of the map. The transfer scheduler limits their number.
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

// take removes the next bytes to write: bytes that were put back, or else packets, or else map
// packets, which it frames into chunk. It never splits packets, so that packets can overtake map
// pieces. The bytes are valid until the next method call. parts is the number of map packets framed
// now.
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

// putBack returns the unwritten bytes of the last take to the queue. shared says that the memory is
// reused, as for map packets, so that the bytes must be copied.
func (q *outQueue) putBack(rest []byte, shared bool) {
	if shared {
		rest = bytes.Clone(rest)
	}
	q.rest = rest
}
