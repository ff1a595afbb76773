package gproxy

import (
	"encoding/binary"
	"errors"
)

// Errors for invalid packet counts from the reconnect proxy.
var (
	errFuture = errors.New("invalid packet count from the reconnect proxy: it exceeds the packets sent")
	errPast   = errors.New("invalid packet count from the reconnect proxy: those packets are no longer buffered")
)

// Line tracks one player's link to the game across successive connections. It counts game packets in both
// directions since the first connection, and buffers sent packets until the other side acknowledges them. It
// is not safe for concurrent use.
type Line struct {
	got   uint32 // complete packets received
	sent  uint32 // packets sent or handed to a socket
	acked uint32 // sent packets that the other side has acknowledged; kept starts after them
	keeps bool   // buffering is enabled
	most  int    // limit for buffered bytes
	kept  []byte // encoded packets after acked, back to back, starting at from
	from  int    // offset of the first unacknowledged packet in kept
}

// LineAt returns a Line with the given packet counts and an empty buffer.
func LineAt(received, sent uint32) Line { return Line{got: received, sent: sent} }

// Got counts one received game packet.
func (l *Line) Got() { l.got++ }

// Received returns the number of received packets, which an ACK carries.
func (l *Line) Received() uint32 { return l.got }

// Sent returns the number of sent packets.
func (l *Line) Sent() uint32 { return l.sent }

// Passed counts n packets that are sent without buffering, such as map parts.
func (l *Line) Passed(n int) { l.sent += uint32(n) }

// Keep enables buffering of sent packets, up to most bytes.
func (l *Line) Keep(most int) { l.keeps, l.most, l.acked = true, most, l.sent }

// Keeps reports whether buffering is enabled and has not overflowed.
func (l *Line) Keeps() bool { return l.keeps }

// Kept returns the number of buffered bytes.
func (l *Line) Kept() int { return len(l.kept) - l.from }

// Send counts the packets in frames and buffers a copy if buffering is enabled. It returns false if the
// buffer would overflow; the buffer is then discarded and the line cannot be resumed.
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

// Ack processes the other side's count of received packets and releases the buffer up to it. Counts below an
// earlier one are ignored.
func (l *Line) Ack(last uint32) error {
	if int32(last-l.sent) > 0 {
		return errFuture
	}
	if l.keeps {
		l.drop(last)
	}
	return nil
}

// Resume checks the packet count of a new connection and returns the packets to retransmit. The bytes alias
// the buffer and are valid until the next call.
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
			l.kept = nil // release the memory of a burst
		}
	}
}

// spare is the buffer capacity in bytes that is retained while nothing is buffered.
const spare = 4 << 10

func frameLen(b []byte) int { return int(binary.LittleEndian.Uint16(b[2:])) }
