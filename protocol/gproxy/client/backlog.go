package gproxy

import "bytes"

// backlog holds the packets that the host has not acknowledged, for retransmission after a reconnect.
type backlog struct {
	packets    [][]byte
	bytes      int    // total size of packets
	acked      uint32 // number of packets acknowledged since the start
	overflowed bool   // limit exceeded: nothing is stored any more
}

// keep stores a copy of a packet. If the stored bytes would exceed most (0 means no limit), it discards
// everything for good and returns false.
func (b *backlog) keep(packet []byte, most int) bool {
	b.bytes += len(packet)
	if b.overflowed = b.overflowed || most > 0 && b.bytes > most; b.overflowed {
		b.packets = nil
		return false
	}
	b.packets = append(b.packets, bytes.Clone(packet))
	return true
}

// drop discards packets until count are acknowledged in total, and returns the number acknowledged.
func (b *backlog) drop(count uint32) uint32 {
	for ; !b.overflowed && b.acked < count; b.acked++ {
		b.bytes -= len(b.packets[0])
		b.packets = b.packets[1:]
	}
	return b.acked
}
