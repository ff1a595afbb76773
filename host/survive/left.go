package survive

import (
	"errors"
	"fmt"
	"time"

	"w3host/game"
	"w3host/hold"
)

// mostTries is how many recoveries may end in one game, with not a second of service in
// between, before it is given up.
const mostTries = 3

// Left is a game that an earlier process has left.
type Left struct {
	mem *hold.Memory
	// Head is what Ledger.Head noted.
	Head []byte
	// Opened is when the lobby opened, on CLOCK_MONOTONIC.
	Opened time.Duration
	// Recorded is the last fact that the game log surely has.
	Recorded uint64
}

var errFormat = errors.New("what the process before has left was written by another version of w3host")

// Find looks at the memory of a game, and notes whether the process before has ended in it.
func Find(mem *hold.Memory) (*Left, error) {
	end, head := mem.Word(wordEnd), mem.Word(wordHead)
	if mem.Word(wordFormat) != format || end > uint64(len(mem.Bytes())) || head == 0 || head > end {
		return nil, errFormat
	}
	l := &Left{mem: mem, Opened: time.Duration(mem.Word(wordOpened)), Recorded: mem.Word(wordRecorded)}
	note, err := game.NoteAt(mem.Bytes()[:end], int(head-1))
	if err != nil {
		return nil, err
	}
	l.Head = note
	step := mem.Word(wordStep)
	if step == 0 {
		return l, nil
	}
	tries := mem.Word(wordTries) + 1
	mem.SetWord(wordTries, tries)
	if step == mem.Word(wordSuspect) && game.LastAt(mem.Bytes()[:end], int(step-1)) {
		l.skip(step)
	}
	mem.SetWord(wordSuspect, step)
	mem.SetWord(wordStep, 0) // a death before the rerun is not this game's fault
	if tries >= mostTries {
		return nil, fmt.Errorf("the host has died in it %d times in a row", tries)
	}
	return l, nil
}

// skip has an entry left out from now on, unless too many are. It was never stepped to its
// end, or another would follow.
func (l *Left) skip(step uint64) bool {
	for i := range skips {
		if l.mem.Word(wordSkipped+i) == 0 {
			l.mem.SetWord(wordSkipped+i, step)
			return true
		}
	}
	return false
}

// Written is its journal.
func (l *Left) Written() []byte { return l.mem.Bytes()[:l.mem.Word(wordEnd)] }

// Forget gives its memory back.
func (l *Left) Forget() { _ = l.mem.Close() } // nothing is lost with it

// Tried reports whether the process before has ended in this game.
func (l *Left) Tried() bool { return l.mem.Word(wordTries) > 0 }
