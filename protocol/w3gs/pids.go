package w3gs

import (
	"encoding/json"
	"iter"
	"math/bits"
)

// MaxPID is the highest player id a game can have; ids begin at 1.
const MaxPID = MaxSlots

// PIDs is a set of player ids: bit n is pid n.
type PIDs uint32

// Only is the set of some players.
func Only(pids ...uint8) (s PIDs) {
	for _, pid := range pids {
		s |= 1 << pid
	}
	return s
}

// Has reports whether the player is in the set.
func (s PIDs) Has(pid uint8) bool { return pid <= MaxPID && s&(1<<pid) != 0 }

// Len counts the players.
func (s PIDs) Len() int { return bits.OnesCount32(uint32(s)) }

// All walks the set from the lowest pid up.
func (s PIDs) All() iter.Seq[uint8] {
	return func(yield func(uint8) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(uint8(bits.TrailingZeros32(uint32(s)))) {
				return
			}
		}
	}
}

// MarshalJSON writes the set as a list of numbers.
func (s PIDs) MarshalJSON() ([]byte, error) {
	list := make([]int, 0, s.Len())
	for pid := range s.All() {
		list = append(list, int(pid))
	}
	return json.Marshal(list)
}
