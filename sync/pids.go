package gamesync

import (
	"iter"
	"math/bits"

	"w3host/w3gs"
)

// MaxPID is the highest player id a game can have; ids begin at 1.
const MaxPID = w3gs.MaxSlots

// PIDs is a set of player ids: bit n is pid n.
type PIDs uint32

// Only is the set of one player.
func Only(pid uint8) PIDs { return 1 << pid }

// Has reports whether the player is in the set.
func (s PIDs) Has(pid uint8) bool { return pid <= MaxPID && s&Only(pid) != 0 }

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
