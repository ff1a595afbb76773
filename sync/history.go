package gamesync

import (
	"time"

	"w3host/w3gs"
)

const (
	// reportTurns is how many settled turns are kept for the report of a desync.
	reportTurns = 50
	// firstTurns is the first size of the ring of turns; it holds the history
	// and what players leave open who are not on the lag screen, as a rule.
	firstTurns = 64

	// The bytes of past actions begin small and are bounded per game, so that
	// players who send much cannot make the host keep much.
	firstActionBytes = 4 << 10
	maxActionBytes   = 64 << 10
)

// turnRecord is what the host remembers of a turn.
type turnRecord struct {
	number    uint32
	increment uint16
	sentAt    time.Duration
	from, to  uint64    // its actions' place in all action bytes ever sent
	have      w3gs.PIDs // who has answered
	differ    bool      // two answers were not the same
	sum       uint32    // the first answer; once settled, the answer that holds
	hashes    [w3gs.MaxPID + 1]uint32
}

// answer files a player's hash.
func (r *turnRecord) answer(pid uint8, sum uint32) {
	if r.have == 0 {
		r.sum = sum
	} else if r.sum != sum {
		r.differ = true
	}
	r.hashes[pid] = sum
	r.have |= w3gs.Only(pid)
}

// history is a ring of the newest turns. It grows only while a turn that
// somebody has not answered would be lost.
type history struct {
	turns  ring[turnRecord]
	oldest uint32 // the first turn still kept
	next   uint32 // the number of the next turn

	actions ring[byte]
	written uint64
}

// ring holds the newest of a sequence. Its length is a power of two.
type ring[T any] []T

func (r ring[T]) at(n uint64) *T { return &r[n&uint64(len(r)-1)] }

// grown is a ring of twice the length with its elements from one number up to another.
func (r ring[T]) grown(from, to uint64) ring[T] {
	bigger := make(ring[T], 2*len(r))
	for n := from; n < to; n++ {
		*bigger.at(n) = *r.at(n)
	}
	return bigger
}

func newHistory() history {
	return history{
		turns: make([]turnRecord, firstTurns), oldest: 1, next: 1,
		actions: make([]byte, firstActionBytes),
	}
}

// at finds a turn that is kept.
func (h *history) at(number uint32) *turnRecord { return h.turns.at(uint64(number)) }

// full reports whether push would lose the oldest turn.
func (h *history) full() bool { return h.next-h.oldest == uint32(len(h.turns)) }

// forget lets go of the turns before number.
func (h *history) forget(number uint32) {
	if number > h.oldest {
		h.oldest = min(number, h.next)
	}
}

// push adds the next turn.
func (h *history) push(increment uint16, sentAt time.Duration, actions []byte) {
	if h.full() {
		h.turns = h.turns.grown(uint64(h.oldest), uint64(h.next))
	}
	r := h.at(h.next)
	r.number, r.increment, r.sentAt = h.next, increment, sentAt
	r.have, r.differ, r.sum = 0, false, 0
	h.next++
	r.from = h.written
	h.write(actions)
	r.to = h.written
}

// write appends to the action ring, which grows while its bytes still belong
// to turns that are kept.
func (h *history) write(b []byte) {
	first := h.at(h.oldest).from
	if h.oldest == h.next-1 {
		first = h.written
	}
	for h.written+uint64(len(b))-first > uint64(len(h.actions)) && len(h.actions) < maxActionBytes {
		h.actions = h.actions.grown(h.written-min(h.written, uint64(len(h.actions))), h.written)
	}
	for len(b) > 0 {
		n := copy(h.actions[h.written&uint64(len(h.actions)-1):], b)
		h.written += uint64(n)
		b = b[n:]
	}
}

// actionsOf copies the actions of a turn; false: they have been overwritten.
func (h *history) actionsOf(r *turnRecord) ([]byte, bool) {
	if r.from+uint64(len(h.actions)) < h.written {
		return nil, r.from == r.to
	}
	b := make([]byte, 0, r.to-r.from)
	for n := r.from; n < r.to; n++ {
		b = append(b, *h.actions.at(n))
	}
	return b, true
}

// NextBatch cuts the actions of a turn where the packets do: all but the last
// batch go out as 0x48, the last one in the 0x0C. It returns the first batch
// and what is left.
func NextBatch(actions []byte) (batch, rest []byte) {
	n := 0
	for n < len(actions) {
		size := w3gs.ActionPrefix + int(actions[n+1]) + int(actions[n+2])<<8
		if n+size > w3gs.MaxBatchLen {
			break
		}
		n += size
	}
	return actions[:n], actions[n:]
}
