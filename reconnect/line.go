package reconnect

import (
	"encoding/binary"
	"errors"
)

// Why a count is refused.
var (
	ErrFuture = errors.New("it counts packets that were not sent")
	ErrPast   = errors.New("it counts less than was acknowledged, or than is kept")
)

// Line is a player's line as one side of it sees it, whatever connections carry
// it one after the other. It counts the game's packets in both directions from
// the first of the first connection on, and keeps what it sent until the other
// side says that it has it.
type Line struct {
	got   uint32 // whole packets received
	sent  uint32 // packets sent, or on their way into a socket
	acked uint32 // of those sent, what the other side has; none before it is kept
	keeps bool
	most  int    // bytes that may be kept
	kept  []byte // the packets after acked, back to back
	from  int    // where they begin in kept
}

// Got counts one packet of the game that has come whole.
func (l *Line) Got() { l.got++ }

// Received is the count that the other side is told.
func (l *Line) Received() uint32 { return l.got }

// Passed counts packets that are sent and never kept: parts of the map.
func (l *Line) Passed(n int) { l.sent += uint32(n) }

// Keep has what is sent from here on kept, at most so many bytes.
func (l *Line) Keep(most int) { l.keeps, l.most, l.acked = true, most, l.sent }

// Keeps reports whether Keep was called.
func (l *Line) Keeps() bool { return l.keeps }

// Kept is how many bytes are kept.
func (l *Line) Kept() int { return len(l.kept) - l.from }

// Send counts the packets of frames, which are whole, and keeps them if Keep was
// called. It reports whether they fit; once they did not, the line cannot be
// resumed any more.
func (l *Line) Send(frames []byte) bool {
	for at := 0; at < len(frames); at += frameLen(frames[at:]) {
		l.sent++
	}
	if !l.keeps {
		return true
	}
	if l.Kept()+len(frames) > l.most {
		l.keeps, l.kept, l.from = false, nil, 0
		return false
	}
	if l.from > len(l.kept)/2 && len(l.kept)+len(frames) > cap(l.kept) {
		l.kept = l.kept[:copy(l.kept, l.kept[l.from:])]
		l.from = 0
	}
	l.kept = append(l.kept, frames...)
	return true
}

// Ack takes the other side's count. A count below an earlier one says nothing
// new.
func (l *Line) Ack(last uint32) error {
	if int32(last-l.sent) > 0 {
		return ErrFuture
	}
	if l.keeps {
		l.drop(last)
	}
	return nil
}

// Resume checks the count that a new connection brings, and returns what is to
// be sent over it again. The bytes are valid until the next call.
func (l *Line) Resume(last uint32) ([]byte, error) {
	switch {
	case !l.keeps || int32(last-l.acked) < 0:
		return nil, ErrPast
	case int32(last-l.sent) > 0:
		return nil, ErrFuture
	}
	l.drop(last)
	return l.kept[l.from:], nil
}

func (l *Line) drop(last uint32) {
	for ; int32(last-l.acked) > 0; l.acked++ {
		l.from += frameLen(l.kept[l.from:])
	}
	if l.from == len(l.kept) {
		l.kept, l.from = l.kept[:0], 0
		if cap(l.kept) > spare {
			l.kept = nil // a burst is over
		}
	}
}

// spare is the memory that a line holds on to when it keeps nothing.
const spare = 4 << 10

func frameLen(b []byte) int { return int(binary.LittleEndian.Uint16(b[2:])) }
