// Package survive stores the journal of each lobby and game in shared memory that outlives the
// process, so that another process can rebuild the game after a crash or for an upgrade. The
// host writes each input before it executes it, and the next process re-executes them all. The
// kernel then tells how many bytes of each player's stream were sent and received.
//
//   - An input is committed before the game executes it. So every byte that a client receives
//     follows from committed inputs.
//   - Bytes read from a client are committed, too, except those of the read in progress, which
//     are in a shared buffer, see ReadBuffer.
package survive

import (
	"encoding/binary"
	"time"

	"w3host/game"
	"w3host/hold"
	"w3host/protocol/gproxy"
)

// size is the address space reserved for one game's journal, enough for ten players for 22 hours.
const size = 128 << 20

// format is the number of the memory layout. Memory with another number is rejected.
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
	wordWanted   = wordSkipped + skips // the Directive of another process
	wordEnded    = wordWanted + 1      // nobody can: it is over, or too long
	wordShown    = wordEnded + 1       // the entry and the observer that is being shown a fact of it, as shownTo packs them; 0: none
	wordMuted    = wordShown + 1       // a bit for each observer that gets nothing more of the game

	wordSuspectShown = wordMuted + 1 // the entry of wordShown as the last recovery found it
)

// The kinds of notes in the journal.
const (
	noteHead  byte = iota // values drawn or looked up outside of the game
	noteBase              // link · taken · read · written · bytes read · bytes queued
	noteRest              // link · bytes: behind those that were noted before, not yet handled
	noteDone              // link · bytes of packets without a meaning for the game · packets that a proxy counts
	noteParts             // link · parts of the map that were framed: their place among the packets
	noteProxy             // link · received · sent · bytes kept at most · version · key · port · offered
	noteExt               // link · bytes that are done with it · a packet of a proxy
)

// Ledger writes the journal of one game. Once it is Full, it writes nothing more.
type Ledger struct {
	mem  *hold.Memory
	end  int
	full bool
	buf  []byte
}

// Begin allocates memory for a new game.
func Begin(s hold.Client) (*Ledger, error) {
	mem, err := s.Memory("w3host-game", size)
	if err != nil {
		return nil, err
	}
	return BeginIn(mem), nil
}

// BeginIn begins a journal in existing memory. This process owns the game until it ends or the
// memory is closed.
func BeginIn(mem *hold.Memory) *Ledger {
	mem.Own()
	mem.SetWord(wordFormat, format)
	return &Ledger{mem: mem}
}

// Opened stores when the lobby opened, on CLOCK_MONOTONIC.
func (l *Ledger) Opened(at time.Duration) { l.mem.SetWord(wordOpened, uint64(at)) }

// Memory returns the shared memory of the journal.
func (l *Ledger) Memory() *hold.Memory { return l.mem }

// Len returns the length of the journal in bytes, or 0 for a nil Ledger.
func (l *Ledger) Len() int {
	if l == nil {
		return 0
	}
	return l.end
}

// Full reports whether the memory has been used up. The game cannot be taken over then.
func (l *Ledger) Full() bool { return l.full }

// Write commits bytes that are not an input.
func (l *Ledger) Write(b []byte) {
	if l.full = l.full || !l.mem.Store(l.end, b); !l.full {
		l.end += len(b)
		l.mem.SetWord(wordEnd, uint64(l.end))
	}
}

// Input commits an input. Call it before the game executes the input.
func (l *Ledger) Input(b []byte) {
	at := l.end
	if l.Write(b); !l.full {
		l.mem.Note(wordStep, uint64(at)+1)
	}
}

// Sum stores the checksum of all orders so far.
func (l *Ledger) Sum(sum uint32) { l.mem.SetWord(wordSum, uint64(sum)) }

// Settled records that all effects of the last input have been carried out.
func (l *Ledger) Settled() {
	if l != nil {
		l.mem.Note(wordStep, 0)
	}
}

// Skip excludes the entry that is being executed from all future reruns. It returns false if too
// many entries are excluded already.
func (l *Ledger) Skip() bool { return !l.full && l.Left().skip(l.mem.Word(wordStep)) }

// Left returns the game as another process would see it.
func (l *Ledger) Left() *Left { return &Left{mem: l.mem} }

// Wanted returns the current directive of another process.
func (l *Ledger) Wanted() Directive { return l.Left().wanted() }

// Release accepts the request of another process to take over the game. It returns false if the
// request was withdrawn, or if that process has not re-executed the whole journal. After true the
// caller must not step the game again and must free its lock, for which the other process waits.
func (l *Ledger) Release() bool {
	return l.mem.SwapWord(wordWanted, request(l.end), uint64(Releasing))
}

// Obeyed records that the order to end the game was carried out.
func (l *Ledger) Obeyed() { l.Left().want(uint64(NoDirective), EndGame) }

// Ended records that no other process will continue the game, because it is over or its journal is
// full.
func (l *Ledger) Ended() { l.mem.SetWord(wordEnded, 1) }

// Recorded records that the game log has stored the records of all facts up to this one.
func (l *Ledger) Recorded(fact uint64) { l.mem.SetWord(wordRecorded, fact) }

// ClearCrashes records that the host has served for a while since the last takeover. It clears the count of
// crashes in this game.
func (l *Ledger) ClearCrashes() {
	l.mem.SetWord(wordTries, 0)
	l.mem.SetWord(wordSuspect, 0)
	l.mem.SetWord(wordSuspectShown, 0)
}

// Head stores values of the game that were drawn or looked up outside of it.
func (l *Ledger) Head(text []byte) {
	at := l.end
	l.note(noteHead, text)
	l.mem.SetWord(wordHead, uint64(at)+1)
}

func (l *Ledger) note(number byte, text []byte) {
	l.Write(game.AppendNote(nil, number, text))
}

// Streams holds the positions in the two byte streams of a link: bytes of the client that the host
// has handled, bytes read beyond those, and bytes for the client that the kernel has not accepted.
type Streams struct {
	Taken   uint64 // bytes handled
	Written uint64 // bytes that the kernel has taken
	Rest    []byte // read, not handled
	Queue   []byte // not written
}

// Stream records what was read from one link, and what was sent to it at times that do not follow
// from the journal.
type Stream struct {
	ledger  *Ledger
	counted uint64 // of the bytes handled, those that an entry accounts for
	noted   uint64 // bytes that are in the ledger
	link    game.LinkID
}

// Follow begins to record the stream of a link of which taken bytes have been handled. Call Base
// once the supervisor holds its socket.
func (l *Ledger) Follow(link game.LinkID, taken uint64) Stream {
	return l.goOn(link, &Streams{Taken: taken})
}

// Base records the positions of the streams at the time when the supervisor got the socket.
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

// Begun reports whether the stream is recorded.
func (s *Stream) Begun() bool { return s.ledger != nil }

// Noted returns the number of bytes of the stream that the journal accounts for.
func (s *Stream) Noted() uint64 { return s.noted }

// Count records that an entry accounts for all bytes up to taken, and returns how many bytes that
// are.
func (s *Stream) Count(taken uint64) int {
	n := int(taken - s.counted)
	s.counted, s.noted = taken, max(s.noted, taken)
	return n
}

// Kept records that the bytes up to taken have been handled, and stores rest, the bytes read beyond
// them.
func (s *Stream) Kept(taken uint64, rest []byte) {
	l := s.ledger
	s.Done(taken, 0)
	if more := rest[s.noted-taken:]; len(more) > 0 {
		l.buf = append(l.begin(s.link), more...)
		l.note(noteRest, l.buf)
		s.noted += uint64(len(more))
	}
}

// Done records that the bytes up to taken have been handled although no entry accounts for them:
// they were packets that mean nothing to the game, but that the player's reconnect proxy counts.
func (s *Stream) Done(taken uint64, packets uint32) {
	if n := s.Count(taken); n > 0 {
		l := s.ledger
		l.buf = binary.AppendUvarint(binary.AppendUvarint(l.begin(s.link), uint64(n)), uint64(packets))
		l.note(noteDone, l.buf)
	}
}

// Parts records that n more of the waiting map parts have been framed.
func (s *Stream) Parts(n int) {
	l := s.ledger
	l.buf = binary.AppendUvarint(l.begin(s.link), uint64(n))
	l.note(noteParts, l.buf)
}

// Proxy records the state of a player's reconnect proxy, before the game learns of the proxy.
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

// Extension records a packet of the player's reconnect proxy, before it is handled. If the game is
// told of the packet (heard), the entry of that input accounts for the bytes instead, so that
// neither is lost if the process dies in between.
func (s *Stream) Extension(taken uint64, frame []byte, heard bool) {
	l, n := s.ledger, 0
	if !heard {
		n = s.Count(taken)
	}
	l.buf = append(binary.AppendUvarint(l.begin(s.link), uint64(n)), frame...)
	l.note(noteExt, l.buf)
}
