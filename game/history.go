package game

import (
	"encoding/binary"
	"slices"
	"time"

	"w3host/past"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

// mostHistory bounds the packed history of one game. An hour of ten players
// takes a tenth of it at the most.
const mostHistory = 16 << 20

// history is all that a client without a proxy has been sent of the turns: 0x48, 0x0C and
// 0x07, packet by packet, for returners. Older ones are packed.
type history struct {
	packed [][]byte
	open   []byte
	size   int      // of all that is packed
	hashes []uint32 // of the settled turns
	full   bool     // something is missing: nobody can come back
	// unknown are the turns, from 0, of which a record has no hash.
	unknown map[int]bool
}

// begin takes the record from which the game goes on.
func (h *history) begin(r *past.Record) {
	h.packed, h.hashes, h.unknown = slices.Clone(r.Blocks), make([]uint32, r.Turns), map[int]bool{}
	for _, b := range r.Blocks {
		h.size += len(b)
	}
	for i := range h.hashes {
		sum, known := r.Sum(i)
		if h.hashes[i] = sum; !known {
			h.unknown[i] = true
		}
	}
}

// keepsHistory reports whether what the turns send has to be kept for returners.
func (m *Machine) keepsHistory() bool { return m.feeds() && !m.returns.history.full }

// add adds the packets that a fact of the turns stands for.
func (h *history) add(f gamesync.Fact) {
	switch f := f.(type) {
	case *gamesync.Turn:
		batch, rest := gamesync.NextBatch(f.Actions)
		for ; len(rest) > 0; batch, rest = gamesync.NextBatch(rest) {
			h.open = (&w3gs.IncomingAction2{Actions: batch}).AppendTo(h.open)
		}
		h.open = (&w3gs.IncomingAction{IncrementMillis: f.Increment, Actions: batch}).AppendTo(h.open)
	case *gamesync.Empty:
		for range f.Count {
			h.open = (&w3gs.IncomingAction{}).AppendTo(h.open)
		}
	case *gamesync.Settled:
		h.hashes = append(h.hashes, uint32(f.Hash))
	}
	h.packFull()
}

// left adds the leave of a player.
func (h *history) left(pid uint8, reason w3gs.LeaveReason) {
	h.open = (&w3gs.PlayerLeave{PID: pid, Reason: reason}).AppendTo(h.open)
	h.packFull()
}

func (h *history) packFull() {
	if len(h.open) >= past.BlockLen && !h.full {
		h.pack()
	}
}

// pack begins a new block.
func (h *history) pack() {
	b := past.Pack(h.open)
	h.packed = append(h.packed, b)
	h.size, h.open = h.size+len(b), make([]byte, 0, cap(h.open)) // readers still have parts of the old one
	if h.size > mostHistory {
		*h = history{full: true}
	}
}

// reading is how far somebody has read a history.
type reading struct {
	block, at int    // of the next packet
	unpacked  []byte // the block, if it is packed
}

// rest returns the packets that follow in the block where the reading is; empty: none follow at all.
func (h *history) rest(r *reading) []byte {
	if r.block == len(h.packed) {
		return h.open[r.at:]
	}
	if r.unpacked == nil {
		r.unpacked, _ = past.Unpack(h.packed[r.block]) // as it was packed
	}
	if r.at < len(r.unpacked) {
		return r.unpacked[r.at:]
	}
	r.block, r.at, r.unpacked = r.block+1, 0, nil
	return h.rest(r)
}

// nextPacket is the packet at the beginning of the rest, and the time that it lasts: clients
// answer those that last. A 0x48 comes with the 0x0C that it belongs to.
func nextPacket(rest []byte) (n int, lasts time.Duration) {
	for {
		f := rest[n:]
		op := w3gs.Op(f[1])
		n += int(binary.LittleEndian.Uint16(f[2:]))
		if op == w3gs.OpIncomingAction {
			lasts = time.Duration(binary.LittleEndian.Uint16(f[4:])) * time.Millisecond
		}
		if op != w3gs.OpIncomingAction2 {
			return n, lasts
		}
	}
}
