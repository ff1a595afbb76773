package gproxy

import (
	"encoding/binary"
	"errors"
)

// Why a count is refused.
var (
	errFuture = errors.New("it counts packets that were not sent")
	errPast   = errors.New("it counts less than was acknowledged, or than is kept")
)

// Line is one side of a player's link to the game across successive connections. It
// counts the packets of the game in both directions since the first connection, and
// keeps sent packets until the other side acknowledges them.
type Line struct {
	got   uint32 // whole packets received
	sent  uint32 // packets sent, or on their way into a socket
	acked uint32 // sent packets that the other side has; only later ones are kept
	keeps bool   // sent packets are kept
	most  int    // bytes that may be kept
	kept  []byte // the packets after acked, back to back
	from  int    // where they begin in kept
}

// LineAt is the line of which so many packets were received and sent, none of which are kept.
func LineAt(received, sent uint32) Line { return Line{got: received, sent: sent} }

// Got counts one packet of the game that was received.
func (l *Line) Got() { l.got++ }

// Received is the count of received packets, for an ACK.
func (l *Line) Received() uint32 { return l.got }

// Sent is the count of sent packets.
func (l *Line) Sent() uint32 { return l.sent }

// Passed counts packets that are sent but not kept: parts of the map.
func (l *Line) Passed(n int) { l.sent += uint32(n) }

// Keep starts to keep the packets sent, at most so many bytes.
func (l *Line) Keep(most int) { l.keeps, l.most, l.acked = true, most, l.sent }

// Keeps reports whether Keep was called.
func (l *Line) Keeps() bool { return l.keeps }

// Kept is how many bytes are kept.
func (l *Line) Kept() int { return len(l.kept) - l.from }

// Send counts the packets in frames, and keeps them if Keep was called. It reports
// whether they fit; if not, the line cannot be resumed any more.
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

// Ack takes the other side's count. One below an earlier count is ignored.
func (l *Line) Ack(last uint32) error {
	if int32(last-l.sent) > 0 {
		return errFuture
	}
	if l.keeps {
		l.drop(last)
	}
	return nil
}

// Resume checks the count of a new connection and returns the packets to send again.
// The bytes are valid until the next call.
func (l *Line) Resume(last uint32) ([]byte, error) {
	switch {
	case !l.keeps || int32(last-l.acked) < 0:
		return nil, errPast
	case int32(last-l.sent) > 0:
		return nil, errFuture
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

// spare is the capacity that is retained when nothing is kept.
const spare = 4 << 10

func frameLen(b []byte) int { return int(binary.LittleEndian.Uint16(b[2:])) }
