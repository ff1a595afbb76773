package w3gs

import (
	"encoding/binary"
	"iter"
)

// AppendAction appends one player's action as 0x0C and 0x48 carry it: pid u8 ·
// length u16 · data. Data is at most MaxActionLen bytes, as decoding ensures.
func AppendAction(dst []byte, pid uint8, data []byte) []byte {
	dst = binary.LittleEndian.AppendUint16(append(dst, pid), uint16(len(data)))
	return append(dst, data...)
}

// Actions walks the encoded actions of a turn in order. It stops at the first
// one that is cut short; decoded packets have none.
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
