package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
)

const (
	// reportTurns is how many settled turns are kept for the report of a desync.
	reportTurns = 50
	// firstTurns is the first size of the ring of turns. As a rule it holds the history
	// and the turns that players who are not on the lag screen have not answered.
	firstTurns = 64
	// maxActionBytes bounds the past actions of a game, so that players who send
	// much cannot make the host keep much.
	maxActionBytes = 64 << 10
)

// turnRecord is a turn that was sent, and the answers to it.
type turnRecord struct {
	number    uint32
	increment uint16
	sentAt    time.Duration
	gameTime  time.Duration // at its end
	actions   []byte
	lost      bool      // there were actions, and they are not kept any more
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

// history is a ring of the newest turns, whose length is a power of two. It grows
// only while a turn that somebody has not answered would be lost.
type history struct {
	turns  []turnRecord
	oldest uint32 // the first turn still kept
	next   uint32 // the number of the next turn
	kept   int    // bytes of actions
}

func newHistory() history {
	return history{turns: make([]turnRecord, firstTurns), oldest: 1, next: 1}
}

// at finds a turn that is kept.
func (h *history) at(number uint32) *turnRecord {
	return &h.turns[number&uint32(len(h.turns)-1)]
}

// full reports whether push would lose the oldest turn.
func (h *history) full() bool { return h.next-h.oldest == uint32(len(h.turns)) }

// forget lets go of the turns before number.
func (h *history) forget(number uint32) {
	for ; h.oldest < min(number, h.next); h.oldest++ {
		r := h.at(h.oldest)
		h.kept -= len(r.actions)
		r.actions = r.actions[:0]
	}
}

// push adds the next turn.
func (h *history) push(increment uint16, sentAt, gameTime time.Duration, actions []byte) {
	if h.full() {
		bigger := history{turns: make([]turnRecord, 2*len(h.turns))}
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
