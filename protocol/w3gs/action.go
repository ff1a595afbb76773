package w3gs

import (
	"encoding/binary"
	"iter"
)

// AppendAction appends one player's action in the layout that 0x0C and 0x48 share: pid u8 · length u16 ·
// data. The caller keeps data within MaxActionLen bytes; decoded 0x26 packets already are.
func AppendAction(dst []byte, pid uint8, data []byte) []byte {
	dst = binary.LittleEndian.AppendUint16(append(dst, pid), uint16(len(data)))
	return append(dst, data...)
}

// Actions iterates over the encoded actions of a turn as pairs of pid and data. The data aliases batch. It
// stops at the first truncated action; the decoder has already rejected batches that contain one.
func Actions(batch []byte) iter.Seq2[uint8, []byte] {
	return func(yield func(pid uint8, data []byte) bool) {
		for len(batch) >= ActionPrefix {
			n := int(binary.LittleEndian.Uint16(batch[1:]))
			if len(batch)-ActionPrefix < n {
				return
			}
			data := batch[ActionPrefix : ActionPrefix+n : ActionPrefix+n]
			if !yield(batch[0], data) {
				return
			}
			batch = batch[ActionPrefix+n:]
		}
	}
}
