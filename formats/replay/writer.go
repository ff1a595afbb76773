package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"w3host/protocol/w3gs"
)

const (
	// flushEvery is how much game time may be lost in a crash besides held turns.
	flushEvery = 500 * time.Millisecond
	// holdFor is how long a turn waits for its checksum, in game time.
	holdFor = 300 * time.Millisecond
)

// Writer records a game while it runs. It is not safe for concurrent use.
//
// After each 500 ms of game time the file is a complete replay of the game so far:
// the last block is written uncompressed and padded, and overwritten the next time.
// After a crash the file lacks at most a second, and the leaves of the players.
//
// The first error of the file is returned by every later call.
type Writer struct {
	f      io.WriterAt
	header Header
	err    error

	queue []byte // encoded records that wait behind a held turn
	held  []heldTurn
	skip  int  // checksums to come of turns that were written without one
	start bool // the mark of a loaded game is written
	live  bool // the file is kept complete
	ahead bool // block holds data that is not in the file

	block []byte // of the stream, less than blockSize
	at    int64  // where it goes in the file
	dirty time.Duration

	present map[uint8]bool // real players who have not left
	time    time.Duration  // of all turns
	written time.Duration  // of those that were held and are not any more
	closed  bool
}

// heldTurn is a turn whose checksum is not known yet.
type heldTurn struct {
	end  int // in queue
	time time.Duration
}

// NewWriter writes the header and the start of a game to an empty file.
func NewWriter(f io.WriterAt, p Program, s *Start) (*Writer, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	w := newWriter(f, p)
	for _, p := range s.Players {
		if !p.Fake {
			w.present[p.PID] = true
		}
	}
	w.put(s.appendTo(nil, p))
	for _, id := range []byte{recStart1, recStart2} {
		w.put([]byte{id, 1, 0, 0, 0})
	}
	w.live = true
	w.flush()
	return w, w.err
}

// newCopy writes the start of a game whose records are copied.
func newCopy(f io.WriterAt, p Program, s *Start) (*Writer, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	w := newWriter(f, p)
	w.start = true
	w.put(s.appendTo(nil, p))
	return w, w.err
}

func newWriter(f io.WriterAt, p Program) *Writer {
	w := &Writer{f: f, header: Header{Program: p, Length: headerLen1, Layout: 1}, present: map[uint8]bool{}}
	if p.Product == "" {
		w.header.Length, w.header.Layout = headerLen0, 0
	}
	w.at = int64(w.header.Length)
	return w
}

// Turn records the contents of a 0x0C: its increment and its actions, encoded as
// there, without the crc. The turn is held until Checksum brings its checksum, but
// no longer than 300 ms of game time.
func (w *Writer) Turn(increment time.Duration, actions []byte) error {
	w.loaded()
	w.queue = append(w.queue, w.turn(recTurn, increment, actions)...)
	w.time += increment
	w.held = append(w.held, heldTurn{len(w.queue), w.time})
	w.release()
	return w.err
}

// Part records the contents of a 0x48, before the turn that it is a part of.
func (w *Writer) Part(actions []byte) error {
	w.loaded()
	w.record(w.turn(recTurnPart, 0, actions))
	return w.err
}

// Empty records a turn of no duration, without actions and checksum, as clients
// receive in games with reconnection.
func (w *Writer) Empty() error {
	w.loaded()
	w.record(w.turn(recTurn, 0, nil))
	return w.err
}

// Checksum is the sync checksum that players sent for the oldest turn that has
// none yet.
func (w *Writer) Checksum(sum uint32) error {
	id := byte(recChecksum)
	if w.header.early() {
		id = recChat
	}
	switch {
	case w.skip > 0:
		w.skip--
	case len(w.held) > 0:
		w.settle(binary.LittleEndian.AppendUint32([]byte{id, 4}, sum))
		w.release()
	}
	return w.err
}

// Chat records a line. Before the first turn it is one of the loading screen.
// Versions up to 1.02 have no place for it.
func (w *Writer) Chat(c Chat) error {
	if w.header.early() {
		return w.err
	}
	if err := checkText(c.Text); err != nil {
		return err
	}
	w.record(c.appendTo(nil))
	return w.err
}

// Left records that a player has left and with what result: the reason in
// their 0x21. The last real player who leaves counts as the one who saved the
// replay.
func (w *Writer) Left(pid uint8, result w3gs.LeaveReason) error {
	delete(w.present, pid)
	l := Leave{Reason: LeaveRemote, PID: pid, Result: result, Counter: 1}
	if len(w.present) == 0 {
		w.loaded()
		l.Reason = LeaveLocal
	}
	w.record(l.appendTo(nil))
	return w.err
}

// copy writes a record as it was read.
func (w *Writer) copy(rec *Record) error {
	w.put([]byte{rec.ID})
	w.put(rec.Body)
	w.time += rec.Increment
	return w.err
}

// Flush writes all records to the file, except held turns.
func (w *Writer) Flush() error {
	if w.ahead {
		w.flush()
	}
	return w.err
}

// Close finishes the file. It does not close it.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	w.loaded()
	w.put(w.queue)
	w.queue, w.held = nil, nil
	w.finish()
	if w.err == nil {
		w.err = errors.New("replay: the writer is closed")
		return nil
	}
	return w.err
}

// loaded writes the mark behind which the game has begun.
func (w *Writer) loaded() {
	if !w.start {
		w.start = true
		w.record([]byte{recStart3, 1, 0, 0, 0})
	}
}

func (w *Writer) turn(id byte, increment time.Duration, actions []byte) []byte {
	if w.header.early() {
		id = recTurnPart
	}
	ms := increment.Milliseconds()
	if n := 2 + len(actions); w.err == nil && (n > 0xFFFF || ms < 0 || ms > 0xFFFF) {
		w.err = fmt.Errorf("replay: a turn of %v with %d bytes cannot be recorded", increment, len(actions))
		return nil
	}
	rec := binary.LittleEndian.AppendUint16(append(make([]byte, 0, 5+len(actions)), id), uint16(2+len(actions)))
	return append(binary.LittleEndian.AppendUint16(rec, uint16(ms)), actions...)
}

// record puts an encoded record behind those that wait.
func (w *Writer) record(rec []byte) {
	if len(w.held) == 0 {
		w.put(rec)
		return
	}
	w.queue = append(w.queue, rec...)
}

// settle writes the oldest held turn, its checksum if that is known, and the records
// up to the next turn.
func (w *Writer) settle(checksum []byte) {
	end := w.held[0].end
	w.put(w.queue[:end])
	w.put(checksum)
	w.written = w.held[0].time
	w.held = append(w.held[:0], w.held[1:]...)
	free := len(w.queue)
	if len(w.held) > 0 {
		free = end
	}
	w.put(w.queue[end:free])
	w.queue = append(w.queue[:0], w.queue[free:]...)
	for i := range w.held {
		w.held[i].end -= free
	}
}

// release writes turns that have waited too long without their checksum.
func (w *Writer) release() {
	for len(w.held) > 0 && w.time-w.held[0].time >= holdFor {
		w.settle(nil)
		w.skip++
	}
	if w.time-w.dirty >= flushEvery {
		w.flush()
	}
}
