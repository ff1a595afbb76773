package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
)

const (
	// reportTurns is the number of settled turns kept for desync reports.
	reportTurns = 50
	// firstTurns is the initial size of the turn ring. It usually suffices for reportTurns and the turns that
	// players have not answered yet.
	firstTurns = 64
	// maxActionBytes limits the memory for past actions of a game, whatever players send.
	maxActionBytes = 64 << 10
)

// turnRecord is a sent turn with the players' answers.
type turnRecord struct {
	number    uint32
	increment uint16
	sentAt    time.Duration
	gameTime  time.Duration // at the end of the turn
	actions   []byte
	lost      bool      // its actions were discarded to save memory
	have      w3gs.PIDs // players who have answered
	differ    bool      // at least two answers differ
	sum       uint32    // the first answer; once settled, the majority's answer
	hashes    [w3gs.MaxPID + 1]uint32
}

// answer records a player's hash.
func (r *turnRecord) answer(pid uint8, sum uint32) {
	if r.have == 0 {
		r.sum = sum
	} else if r.sum != sum {
		r.differ = true
	}
	r.hashes[pid] = sum
	r.have |= w3gs.Only(pid)
}

// turnRing is a ring buffer of the newest turns. Its length is a power of two and grows only while unanswered
// turns would be overwritten.
type turnRing struct {
	turns  []turnRecord
	oldest uint32 // number of the oldest turn in the ring
	next   uint32 // number of the next turn
	kept   int    // total bytes of actions in the ring
}

func newTurnRing() turnRing {
	return turnRing{turns: make([]turnRecord, firstTurns), oldest: 1, next: 1}
}

// at returns a turn that is still in the ring.
func (h *turnRing) at(number uint32) *turnRecord {
	return &h.turns[number&uint32(len(h.turns)-1)]
}

// full reports whether push would overwrite the oldest turn.
func (h *turnRing) full() bool { return h.next-h.oldest == uint32(len(h.turns)) }

// forget discards the turns before number.
func (h *turnRing) forget(number uint32) {
	for ; h.oldest < min(number, h.next); h.oldest++ {
		r := h.at(h.oldest)
		h.kept -= len(r.actions)
		r.actions = r.actions[:0]
	}
}

// push adds the next turn.
func (h *turnRing) push(increment uint16, sentAt, gameTime time.Duration, actions []byte) {
	if h.full() {
		bigger := turnRing{turns: make([]turnRecord, 2*len(h.turns))}
		for n := h.oldest; n < h.next; n++ {
			*bigger.at(n) = *h.at(n)
		}
		h.turns = bigger.turns
	}
	r := h.at(h.next)
	r.number, r.increment, r.sentAt, r.gameTime = h.next, increment, sentAt, gameTime
	r.lost, r.have, r.differ, r.sum = false, 0, false, 0
	r.actions = append(r.actions, actions...)
	h.next++
	h.kept += len(actions)
	for n := h.oldest; h.kept > maxActionBytes; n++ {
		r := h.at(n)
		h.kept -= len(r.actions)
		r.lost, r.actions = r.lost || len(r.actions) > 0, nil
	}
}
