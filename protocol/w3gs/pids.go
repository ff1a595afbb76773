package w3gs

import (
	"encoding/json"
	"iter"
	"math/bits"
)

// MaxPID is the highest player id; ids start at 1.
const MaxPID = MaxSlots

// PIDs is a set of player ids; bit n stands for pid n.
type PIDs uint32

// Only returns the set of the given players.
func Only(pids ...uint8) (s PIDs) {
	for _, pid := range pids {
		s |= 1 << pid
	}
	return s
}

// Has reports whether pid is in the set.
func (s PIDs) Has(pid uint8) bool { return pid <= MaxPID && s&(1<<pid) != 0 }

// Len returns the number of players in the set.
func (s PIDs) Len() int { return bits.OnesCount32(uint32(s)) }

// All iterates over the set in ascending order.
func (s PIDs) All() iter.Seq[uint8] {
	return func(yield func(uint8) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(uint8(bits.TrailingZeros32(uint32(s)))) {
				return
			}
		}
	}
}

// MarshalJSON encodes the set as an array of numbers.
func (s PIDs) MarshalJSON() ([]byte, error) {
	list := make([]int, 0, s.Len())
	for pid := range s.All() {
		list = append(list, int(pid))
	}
	return json.Marshal(list)
}
