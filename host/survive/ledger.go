// Package survive is the journal of a lobby and its game in memory that outlives the process:
// written before each input is taken, and read by the next process, which makes the game
// of it again. The kernel tells afterwards how far the streams of the players
// have come, which the journal cannot know.
//
//   - An input is committed before the machine has it, so every byte that a client is sent
//     follows from committed inputs.
//   - Bytes read of a client are committed, too, except the read under way, whose bytes
//     are in the memory of the host.
package survive

import (
	"encoding/binary"
	"time"

	"w3host/game"
	"w3host/hold"
	"w3host/protocol/gproxy"
)

// size is the address space of one game's journal: 22 hours of ten players.
const size = 128 << 20

// format refuses what another layout has written.
const format = 2

// The words of a game's memory.
const (
	wordFormat   = iota
	wordEnd      // bytes that count; storing it is the commit
	wordSum      // CRC-32 of the orders up to there, without the last input's
	wordStep     // offset of the entry that is being stepped, + 1
	wordHead     // offset of the note with the head, + 1
	wordOpened   // CLOCK_MONOTONIC of the lobby's opening, in ns
	wordRecorded // the last fact that the game log surely has
	wordTries    // recoveries that ended in this game
	wordSuspect  // wordStep as the last of them found it
	wordSkipped  // offset + 1 of the first of skips entries that are not stepped again
	skips        = 4
	wordWanted   = wordSkipped + skips // the Wish of another process
	wordEnded    = wordWanted + 1      // nobody can: it is over, or too long
	wordShown    = wordEnded + 1       // the entry and the observer that is being shown a fact of it, as shownTo packs them; 0: none
	wordMuted    = wordShown + 1       // a bit for each observer that gets nothing more of the game

	wordSuspectShown = wordMuted + 1 // the entry of wordShown as the last recovery found it
)

// The notes in the journal.
const (
	noteHead  byte = iota // values drawn or looked up outside of the game
	noteBase              // link · taken · read · written · bytes read · bytes queued
	noteRest              // link · bytes: behind those that were noted before, not yet handled
	noteDone              // link · bytes of packets without a meaning for the game · packets that a proxy counts
	noteParts             // link · parts of the map that were framed: their place among the packets
	noteProxy             // link · received · sent · bytes kept at most · version · key · port · offered
	noteExt               // link · bytes that are done with it · a packet of a proxy
)

// Ledger writes the journal of one game. Once it is Full it writes nothing more.
type Ledger struct {
	mem  *hold.Memory
	end  int
	full bool
	buf  []byte
}

// Begin takes the memory for a new game.
func Begin(s hold.Shelf) (*Ledger, error) {
	mem, err := s.Memory("w3host-game", size)
	if err != nil {
		return nil, err
	}
	return BeginIn(mem), nil
}

// BeginIn begins in memory that is there. The game is this process's until it ends, or
// until the memory is closed.
func BeginIn(mem *hold.Memory) *Ledger {
	mem.Own()
	mem.SetWord(wordFormat, format)
	return &Ledger{mem: mem}
}

// Opened says when the lobby has opened, on the clock of the machine.
func (l *Ledger) Opened(at time.Duration) { l.mem.SetWord(wordOpened, uint64(at)) }

// Memory is where the ledger is.
func (l *Ledger) Memory() *hold.Memory { return l.mem }

// Len is how long the journal is; 0 without one.
func (l *Ledger) Len() int {
	if l == nil {
		return 0
	}
	return l.end
}

// Full reports whether there was no room: the game cannot be made again from it.
func (l *Ledger) Full() bool { return l.full }

// Write commits bytes of the journal that are no input.
func (l *Ledger) Write(b []byte) {
	if l.full = l.full || !l.mem.Store(l.end, b); !l.full {
		l.end += len(b)
		l.mem.SetWord(wordEnd, uint64(l.end))
	}
}

// Input commits an input, which is about to be stepped.
func (l *Ledger) Input(b []byte) {
	at := l.end
	if l.Write(b); !l.full {
		l.mem.Note(wordStep, uint64(at)+1)
	}
}

// Sum stores the sum of all orders so far.
func (l *Ledger) Sum(sum uint32) { l.mem.SetWord(wordSum, uint64(sum)) }

// Settled says that all that follows from the last input has been done.
func (l *Ledger) Settled() {
	if l != nil {
		l.mem.Note(wordStep, 0)
	}
}

// Skip leaves the entry that is being stepped out from now on; false: it cannot be. A game
// from Left is as if it had never been stepped.
func (l *Ledger) Skip() bool { return !l.full && l.Left().skip(l.mem.Word(wordStep)) }

// Left is the game as another process would find it.
func (l *Ledger) Left() *Left { return &Left{mem: l.mem} }

// Wanted is the wish of another process.
func (l *Ledger) Wanted() Wish { return l.Left().wanted() }

// Release accepts the request of another process to take over the game. It returns false if the
// request was withdrawn, or if that process has not re-executed the whole journal. After true the
// caller must not step the game again and must free its lock, for which the other process waits.
func (l *Ledger) Release() bool {
	return l.mem.SwapWord(wordWanted, request(l.end), uint64(Releasing))
}

// Obeyed says that the order to end the game was carried out.
func (l *Ledger) Obeyed() { l.Left().want(uint64(Nothing), ToEnd) }

// Ended says that no other process goes on with the game, which is over or too long.
func (l *Ledger) Ended() { l.mem.SetWord(wordEnded, 1) }

// Recorded says that the game log has the records of all facts up to this one.
func (l *Ledger) Recorded(fact uint64) { l.mem.SetWord(wordRecorded, fact) }

// Good says that the host has served since the recovery: nothing is held against the game.
func (l *Ledger) Good() {
	l.mem.SetWord(wordTries, 0)
	l.mem.SetWord(wordSuspect, 0)
	l.mem.SetWord(wordSuspectShown, 0)
}

// Head notes values drawn or looked up outside of the game.
func (l *Ledger) Head(text []byte) {
	at := l.end
	l.note(noteHead, text)
	l.mem.SetWord(wordHead, uint64(at)+1)
}

func (l *Ledger) note(number byte, text []byte) {
	l.Write(game.AppendNote(nil, number, text))
}

// Streams is where the streams of a link are: the client's bytes that the host has
// handled, those that it has read beyond, and those for the client that the kernel has not.
type Streams struct {
	Taken   uint64 // bytes handled
	Written uint64 // bytes that the kernel has taken
	Rest    []byte // read, not handled
	Queue   []byte // not written
}

// Stream notes the bytes read of one link, and those sent at times that the journal
// does not tell.
type Stream struct {
	ledger  *Ledger
	counted uint64 // of the bytes handled, those that an entry accounts for
	noted   uint64 // bytes that are in the ledger
	link    game.LinkID
}

// Follow begins to note the stream of a link of which so many bytes are handled. Its socket
// is not held before Base.
func (l *Ledger) Follow(link game.LinkID, taken uint64) Stream {
	return l.goOn(link, &Streams{Taken: taken})
}

// Base notes where the streams are when the socket is held.
func (s *Stream) Base(at Streams) {
	l := s.ledger
	b := l.begin(s.link)
	b = binary.AppendUvarint(b, at.Taken)
	b = binary.AppendUvarint(b, at.Written)
	b = append(binary.AppendUvarint(b, uint64(len(at.Rest))), at.Rest...)
	l.buf = append(b, at.Queue...)
	l.note(noteBase, l.buf)
	*s = l.goOn(s.link, &at)
}

func (l *Ledger) goOn(link game.LinkID, at *Streams) Stream {
	return Stream{ledger: l, link: link, counted: at.Taken, noted: at.Taken + uint64(len(at.Rest))}
}

func (l *Ledger) begin(link game.LinkID) []byte {
	return binary.AppendUvarint(l.buf[:0], uint64(link))
}

// Begun reports whether a stream is noted.
func (s *Stream) Begun() bool { return s.ledger != nil }

// Noted is how many bytes of the stream are in the ledger.
func (s *Stream) Noted() uint64 { return s.noted }

// Count says that an entry accounts for all bytes up to taken, and returns for how many.
func (s *Stream) Count(taken uint64) int {
	n := int(taken - s.counted)
	s.counted, s.noted = taken, max(s.noted, taken)
	return n
}

// Kept comes when the bytes read have been handled up to taken; rest are the bytes behind.
func (s *Stream) Kept(taken uint64, rest []byte) {
	l := s.ledger
	s.Done(taken, 0)
	if more := rest[s.noted-taken:]; len(more) > 0 {
		l.buf = append(l.begin(s.link), more...)
		l.note(noteRest, l.buf)
		s.noted += uint64(len(more))
	}
}

// Done says that the bytes read are handled up to taken, if no entry accounts for it yet:
// packets without a meaning for the game, of which the player's proxy counts so many.
func (s *Stream) Done(taken uint64, packets uint32) {
	if n := s.Count(taken); n > 0 {
		l := s.ledger
		l.buf = binary.AppendUvarint(binary.AppendUvarint(l.begin(s.link), uint64(n)), uint64(packets))
		l.note(noteDone, l.buf)
	}
}

// Parts says that the next parts of the map that wait for the link are framed.
func (s *Stream) Parts(n int) {
	l := s.ledger
	l.buf = binary.AppendUvarint(l.begin(s.link), uint64(n))
	l.note(noteParts, l.buf)
}

// Proxy says what is known of a player's proxy, before the game hears of it.
func (s *Stream) Proxy(p *Proxy, line *gproxy.Line) {
	l := s.ledger
	offered := uint64(0)
	if p.Offered {
		offered = 1
	}
	b := l.begin(s.link)
	for _, n := range [...]uint64{
		uint64(line.Received()), uint64(line.Sent()), uint64(p.Most),
		uint64(p.Version), uint64(p.Key), uint64(p.Port), offered,
	} {
		b = binary.AppendUvarint(b, n)
	}
	l.buf = b
	l.note(noteProxy, b)
}

// Extension says that a packet of the player's proxy is about to be taken. One that the game
// hears of is done with the input, or it would be lost if the process ended between the two.
func (s *Stream) Extension(taken uint64, frame []byte, heard bool) {
	l, n := s.ledger, 0
	if !heard {
		n = s.Count(taken)
	}
	l.buf = append(binary.AppendUvarint(l.begin(s.link), uint64(n)), frame...)
	l.note(noteExt, l.buf)
}
