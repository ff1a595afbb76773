package survive

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"w3host/game"
	"w3host/hold"
)

// mostTries is the number of takeovers that may crash in one game without a second of service in
// between. Then the game is given up.
const mostTries = 3

// Left is a game of an earlier or another process, read from its shared memory.
type Left struct {
	mem *hold.Memory
	// Head is the text stored by Ledger.Head.
	Head []byte
	// Opened is when the lobby opened, on CLOCK_MONOTONIC.
	Opened time.Duration
}

var errFormat = errors.New("what the process before has left was written by another version of w3host")

// Find reads the memory of a game. Another process may still be playing it. After an error the
// memory can still be owned and forgotten.
func Find(mem *hold.Memory) (l *Left, err error) {
	l = &Left{mem: mem, Opened: time.Duration(mem.Word(wordOpened))}
	if mem.Word(wordFormat) != format {
		return l, errFormat
	}
	return l, l.Reread()
}

// Reread reads the head again, because the other process may have replaced it.
func (l *Left) Reread() (err error) {
	end, head := l.mem.Word(wordEnd), l.mem.Word(wordHead)
	if end > uint64(len(l.mem.Bytes())) || head == 0 || head > end {
		return errFormat
	}
	l.Head, err = game.NoteAt(l.mem.Bytes()[:end], int(head-1))
	return err
}

// Own makes this process the owner of the game. It returns false if another process owns it.
func (l *Left) Own() bool { return l.mem.Own() }

// Directive is an order of another process to the process that plays a game, and the answer. Both sides change it only by
// compare-and-swap, so that neither overwrites what the other has just stored.
type Directive uint64

// The directives. ReleaseGame carries the length of the journal that the requesting process has verified.
const (
	NoDirective Directive = iota
	ReleaseGame           // release the game at the end of a turn
	KeepGame              // play the game to its end: the other process cannot rebuild it
	EndGame               // end the game
	Releasing             // the answer to ReleaseGame: the lock is about to be free

	directiveBits = 8
)

// request returns the word for ReleaseGame by a process that has verified that many bytes of the
// journal.
func request(verified int) uint64 { return uint64(verified)<<directiveBits | uint64(ReleaseGame) }

// Request asks the owner to release the game as soon as its journal is no longer than verified. It
// does not replace an order to end the game.
func (l *Left) Request(verified int) { l.want(request(verified), NoDirective, ReleaseGame, KeepGame) }

// Withdraw cancels a request. It returns false if the owner has already accepted it: the owner then
// no longer plays the game, and has freed the lock or is about to.
func (l *Left) Withdraw() bool {
	l.want(uint64(NoDirective), ReleaseGame)
	return !l.Released()
}

// Released reports whether the owner has accepted a request. It has freed the lock or is about to.
func (l *Left) Released() bool { return l.wanted() == Releasing }

// Verdict records whether this program would play the game differently, so that the game must stay
// with its owner (KeepGame). It has no effect while a request to release the game or an order to end it is stored.
func (l *Left) Verdict(stays bool) {
	if stays {
		l.want(uint64(KeepGame), NoDirective)
	} else {
		l.want(uint64(NoDirective), KeepGame)
	}
}

// OrderEnd orders the owner to end the game.
func (l *Left) OrderEnd() { l.want(uint64(EndGame), NoDirective, ReleaseGame, KeepGame) }

// want atomically replaces the directive by word if it is one of instead.
func (l *Left) want(word uint64, instead ...Directive) {
	for {
		old := l.mem.Word(wordWanted)
		if !slices.Contains(instead, directive(old)) || l.mem.SwapWord(wordWanted, old, word) {
			return
		}
	}
}

func directive(word uint64) Directive { return Directive(word & (1<<directiveBits - 1)) }

func (l *Left) wanted() Directive { return directive(l.mem.Word(wordWanted)) }

// Ended reports whether the former owner has recorded that the game is over, or can no longer be taken over.
func (l *Left) Ended() bool { return l.mem.Word(wordEnded) != 0 }

// Recorded returns the number of the last fact that is certainly in the game log.
func (l *Left) Recorded() uint64 { return l.mem.Word(wordRecorded) }

// RecordCrash counts a crash if the previous owner died while it executed an entry of this game. It
// returns an error if that has happened too often. If the owner died while an observer processed a
// fact, that observer gets nothing more of the game once the same entry has crashed before or
// several crashes happened in this game. It may not be the observer's fault, because the game loop
// may have executed another entry at that moment.
func (l *Left) RecordCrash() error {
	mem, step := l.mem, l.mem.Word(wordStep)
	mem.SetWord(wordWanted, uint64(NoDirective)) // this process is the one that is asked from now on
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

// shownTo packs an entry and the number of an observer, below 64, into one word. shown is its
// inverse.
func shownTo(at uint64, observer int) uint64 { return at<<6 | uint64(observer) }

func shown(word uint64) (at uint64, observer int) { return word >> 6, int(word & 63) }

// Showing records that an observer is about to process a fact of the entry at, see Rerun.At. If the
// process dies, the next one knows which observer it was. Shown clears the record.
func (l *Left) Showing(at uint64, observer int) { l.mem.Note(wordShown, shownTo(at, observer)) }

// Shown records that no observer is processing a fact.
func (l *Left) Shown() { l.mem.Note(wordShown, 0) }

// Muted reports whether an observer gets nothing more of this game because of earlier crashes.
func (l *Left) Muted(observer int) bool { return l.mem.Word(wordMuted)>>observer&1 != 0 }

// skip excludes an entry from all future reruns. It returns false if too many are excluded already.
// The entry was never executed completely, so nothing that others have seen depends on it.
func (l *Left) skip(step uint64) bool {
	for i := range skips {
		if l.mem.Word(wordSkipped+i) == 0 {
			l.mem.SetWord(wordSkipped+i, step)
			return true
		}
	}
	return false
}

// skips returns the excluded entries.
func (l *Left) skips() (at []uint64) {
	for i := range skips {
		if n := l.mem.Word(wordSkipped + i); n != 0 {
			at = append(at, n)
		}
	}
	return at
}

// Written returns the journal.
func (l *Left) Written() []byte { return l.mem.Bytes()[:l.mem.Word(wordEnd)] }

// Len returns the length of the journal in bytes.
func (l *Left) Len() int { return int(l.mem.Word(wordEnd)) }

// Forget releases the memory.
func (l *Left) Forget() { _ = l.mem.Close() } // nothing is lost with it

// Tried reports whether the previous owner died in this game, or an entry of it is excluded.
func (l *Left) Tried() bool { return l.mem.Word(wordTries) > 0 || l.mem.Word(wordSkipped) > 0 }
