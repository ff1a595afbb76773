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

// The wishes. ToGoOn is stored with the length of the journal that the other process has verified.
const (
	Nothing   Wish = iota
	ToGoOn         // at the end of a turn
	ToStay         // it would make another game of the journal
	ToEnd          // that the game ends
	Releasing      // the answer to ToGoOn: the lock of the game is about to be free

	wishBits = 8
)

// request is the word of ToGoOn by a process that has verified so many bytes of the journal.
func request(verified int) uint64 { return uint64(verified)<<wishBits | uint64(ToGoOn) }

// Request asks the process that plays the game to release it as soon as its journal ends after the bytes that
// the caller has verified. An order to end the game stands.
func (l *Left) Request(verified int) { l.want(request(verified), Nothing, ToGoOn, ToStay) }

// Withdraw takes a request back. It returns false if the other process has accepted the request: that process
// no longer plays the game, and has released the lock or is about to.
func (l *Left) Withdraw() bool {
	l.want(uint64(Nothing), ToGoOn)
	return !l.Released()
}

// Released reports whether the other process has accepted a request: it has freed the lock or is about to.
func (l *Left) Released() bool { return l.wanted() == Releasing }

// Verdict notes whether a program that stands by would leave the game where it is. Requests and orders stand.
func (l *Left) Verdict(stays bool) {
	if stays {
		l.want(uint64(ToStay), Nothing)
	} else {
		l.want(uint64(Nothing), ToStay)
	}
}

// OrderEnd orders the process that plays the game to end it.
func (l *Left) OrderEnd() { l.want(uint64(ToEnd), Nothing, ToGoOn, ToStay) }

// want replaces the wish by a word if it is one of instead, atomically.
func (l *Left) want(word uint64, instead ...Wish) {
	for {
		old := l.mem.Word(wordWanted)
		if !slices.Contains(instead, wish(old)) || l.mem.SwapWord(wordWanted, old, word) {
			return
		}
	}
}

func wish(word uint64) Wish { return Wish(word & (1<<wishBits - 1)) }

func (l *Left) wanted() Wish { return wish(l.mem.Word(wordWanted)) }

// Ended reports whether the process that has let the game go says that nobody goes on with it.
func (l *Left) Ended() bool { return l.mem.Word(wordEnded) != 0 }

// Recorded is the last fact that the game log surely has.
func (l *Left) Recorded() uint64 { return l.mem.Word(wordRecorded) }

// Blame notes whether the process before has ended in this game, which is this process's
// now. An error says that it did so too often. A process that has ended while an observer was shown
// an entry costs that observer the rest of the game, if an earlier one has ended at the same entry or
// several have ended in the game. The loop may have stepped another entry at that moment.
func (l *Left) Blame() error {
	mem, step := l.mem, l.mem.Word(wordStep)
	mem.SetWord(wordWanted, uint64(Nothing)) // this process is the one that is asked from now on
	at, observer := shown(mem.Word(wordShown))
	mem.SetWord(wordShown, 0)
	if step == 0 && at == 0 {
		return nil
	}
	tries, suspect := mem.Word(wordTries)+1, mem.Word(wordSuspect)
	mem.SetWord(wordTries, tries)
	if at != 0 {
		if at == suspect || at == mem.Word(wordSuspectShown) || tries >= mostTries {
			mem.SetWord(wordMuted, mem.Word(wordMuted)|1<<observer)
		}
		mem.SetWord(wordSuspectShown, at)
	}
	if step == 0 {
		return nil
	}
	if step == suspect && game.LastAt(l.Written(), int(step-1)) {
		l.skip(step)
	}
	mem.SetWord(wordSuspect, step)
	mem.SetWord(wordStep, 0) // a death before the rerun is not this game's fault
	if at == 0 && tries >= mostTries {
		return fmt.Errorf("the host has died in it %d times in a row", tries)
	}
	return nil
}

// shownTo packs an entry and the number of the observer that is shown it, below 64; shown is its inverse.
func shownTo(at uint64, observer int) uint64 { return at<<6 | uint64(observer) }

func shown(word uint64) (at uint64, observer int) { return word >> 6, int(word & 63) }

// Showing notes that an observer is shown a fact of an entry, at its place by Rerun.At: if the process ends meanwhile,
// the next one knows by which observer. Shown ends that.
func (l *Left) Showing(at uint64, observer int) { l.mem.Note(wordShown, shownTo(at, observer)) }

// Shown notes that no observer is shown anything.
func (l *Left) Shown() { l.mem.Note(wordShown, 0) }

// Muted reports whether an observer gets nothing more of the game, since processes have ended while it was shown it.
func (l *Left) Muted(observer int) bool { return l.mem.Word(wordMuted)>>observer&1 != 0 }

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
