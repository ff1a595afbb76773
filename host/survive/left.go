package survive

import (
	"errors"
	"fmt"
	"slices"
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
	// Head is the text that Ledger.Head noted.
	Head []byte
	// Opened is when the lobby opened, on CLOCK_MONOTONIC.
	Opened time.Duration
}

var errFormat = errors.New("what the process before has left was written by another version of w3host")

// Find looks at the memory of a game, which another process may still play.
// After an error it can still be owned.
func Find(mem *hold.Memory) (l *Left, err error) {
	l = &Left{mem: mem, Opened: time.Duration(mem.Word(wordOpened))}
	if mem.Word(wordFormat) != format {
		return l, errFormat
	}
	return l, l.Reread()
}

// Reread reads the head again, which another process may have noted anew.
func (l *Left) Reread() (err error) {
	end, head := l.mem.Word(wordEnd), l.mem.Word(wordHead)
	if end > uint64(len(l.mem.Bytes())) || head == 0 || head > end {
		return errFormat
	}
	l.Head, err = game.NoteAt(l.mem.Bytes()[:end], int(head-1))
	return err
}

// Own makes the game this process's; false: another one plays it.
func (l *Left) Own() bool { return l.mem.Own() }

// Wish is an order of another process to the one that plays a game, and its answer. Both change it by
// compare-and-swap only, so neither erases what the other has just stored.
type Wish uint64

// The wishes.
const (
	Nothing   Wish = iota
	ToGoOn         // at the end of a turn
	ToStay         // it would make another game of the journal
	ToEnd          // that the game ends
	Releasing      // the answer to ToGoOn: the lock of the game is about to be free
)

// Request asks the process that plays the game to release it. An order to end the game stands.
func (l *Left) Request() { l.want(ToGoOn, Nothing, ToStay) }

// Withdraw takes a request back. It returns false if the other process has accepted the request: that process
// no longer plays the game, and has released the lock or is about to.
func (l *Left) Withdraw() bool {
	l.want(Nothing, ToGoOn)
	return l.wanted() != Releasing
}

// Verdict notes whether a program that stands by would leave the game where it is. Requests and orders stand.
func (l *Left) Verdict(stays bool) {
	if stays {
		l.want(ToStay, Nothing)
	} else {
		l.want(Nothing, ToStay)
	}
}

// OrderEnd orders the process that plays the game to end it.
func (l *Left) OrderEnd() { l.want(ToEnd, Nothing, ToGoOn, ToStay) }

// want replaces the wish by w if it is one of instead, atomically. It returns false if the wish is
// another one.
func (l *Left) want(w Wish, instead ...Wish) bool {
	return slices.ContainsFunc(instead, func(old Wish) bool { return l.mem.SwapWord(wordWanted, uint64(old), uint64(w)) })
}

func (l *Left) wanted() Wish { return Wish(l.mem.Word(wordWanted)) }

// Ended reports whether the process that has let the game go says that nobody goes on with it.
func (l *Left) Ended() bool { return l.mem.Word(wordEnded) != 0 }

// Recorded is the last fact that the game log surely has.
func (l *Left) Recorded() uint64 { return l.mem.Word(wordRecorded) }

// Blame notes whether the process before has ended in this game, which is this process's
// now. An error says that it did so too often.
func (l *Left) Blame() error {
	mem, step := l.mem, l.mem.Word(wordStep)
	mem.SetWord(wordWanted, uint64(Nothing)) // this process is the one that is asked from now on
	if step == 0 {
		return nil
	}
	tries := mem.Word(wordTries) + 1
	mem.SetWord(wordTries, tries)
	if step == mem.Word(wordSuspect) && game.LastAt(l.Written(), int(step-1)) {
		l.skip(step)
	}
	mem.SetWord(wordSuspect, step)
	mem.SetWord(wordStep, 0) // a death before the rerun is not this game's fault
	if tries >= mostTries {
		return fmt.Errorf("the host has died in it %d times in a row", tries)
	}
	return nil
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

// skips are the entries that are left out.
func (l *Left) skips() (at []uint64) {
	for i := range skips {
		if n := l.mem.Word(wordSkipped + i); n != 0 {
			at = append(at, n)
		}
	}
	return at
}

// Written is its journal.
func (l *Left) Written() []byte { return l.mem.Bytes()[:l.mem.Word(wordEnd)] }

// Len is how long its journal is.
func (l *Left) Len() int { return int(l.mem.Word(wordEnd)) }

// Forget gives its memory back.
func (l *Left) Forget() { _ = l.mem.Close() } // nothing is lost with it

// Tried reports whether the process before has ended in this game, or an entry of it is left out.
func (l *Left) Tried() bool { return l.mem.Word(wordTries) > 0 || l.mem.Word(wordSkipped) > 0 }
