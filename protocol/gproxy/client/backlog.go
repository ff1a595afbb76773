package gproxy

import "bytes"

// backlog has the packets for the host that it has not acknowledged, to be sent again on the
// next connection.
type backlog struct {
	packets [][]byte
	bytes   int    // of packets
	acked   uint32 // packets that the host has acknowledged
	lapsed  bool   // nothing is kept any more
}

// keep adds a packet; false: it is more than may be kept, and from now on nothing is. A most of
// 0 is no bound.
func (b *backlog) keep(packet []byte, most int) bool {
	b.bytes += len(packet)
	if b.lapsed = b.lapsed || most > 0 && b.bytes > most; b.lapsed {
		b.packets = nil
		return false
	}
	b.packets = append(b.packets, bytes.Clone(packet))
	return true
}

// drop discards the first packets until so many are acknowledged, and returns how many are.
func (b *backlog) drop(count uint32) uint32 {
	for ; !b.lapsed && b.acked < count; b.acked++ {
		b.bytes -= len(b.packets[0])
		b.packets = b.packets[1:]
	}
	return b.acked
}
