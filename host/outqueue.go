package host

import (
	"sync"

	"w3host/mapxfer"
)

// drainChunk is how much one write of the drain goroutine takes: large enough
// to be cheap, small enough that a chat line waits for little.
const drainChunk = 16 << 10

// drainBuffers are lent to drain goroutines, which come and go with every burst
// of a map. A chunk may end with one part more; a longer queue of packets, which
// is rare, makes its own buffer.
var drainBuffers = sync.Pool{New: func() any {
	b := make([]byte, 0, drainChunk+mapxfer.HeaderLen+mapxfer.PartLen)
	return &b
}}

// outQueue is what waits for a socket: first the rest of a packet that the
// kernel took half of, then packets, then the pieces of the map.
type outQueue struct {
	rest    []byte
	packets []byte // whole frames back to back
	pieces  []piece
	limit   int // of rest and packets, in bytes

	pieceBytes int
}

// piece is a range of the map that is on its way to one player. It becomes
// 0x43 frames only when the socket has room for them.
type piece struct {
	parts    *mapxfer.Parts
	at, end  uint32
	to, from uint8
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
func (q *outQueue) pushPiece(p piece) {
	q.pieceBytes += int(p.end - p.at)
	if n := len(q.pieces); n > 0 && q.pieces[n-1].end == p.at {
		q.pieces[n-1].end = p.end
		return
	}
	q.pieces = append(q.pieces, p)
}

func (q *outQueue) dropPieces() {
	q.pieces, q.pieceBytes = nil, 0
}

// take moves the next bytes for the wire to dst: all packets, and map parts up
// to drainChunk. Frames are never cut here, so packets may overtake parts.
func (q *outQueue) take(dst []byte) []byte {
	dst = append(append(dst, q.rest...), q.packets...)
	q.rest = q.rest[:0]
	if cap(q.packets) > drainChunk {
		q.packets = nil
	}
	q.packets = q.packets[:0]
	for len(q.pieces) > 0 && len(dst) < drainChunk {
		p := &q.pieces[0]
		dst = p.parts.AppendFrame(dst, p.at, p.to, p.from)
		next := p.parts.End(p.at)
		q.pieceBytes -= int(next - p.at)
		p.at = next
		if p.at >= p.end {
			q.pieces = q.pieces[1:]
		}
	}
	return dst
}
