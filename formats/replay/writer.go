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
	// flushEvery is the interval of game time between writes; a crash loses at most this and the held turns.
	flushEvery = 500 * time.Millisecond
	// holdFor is how much game time a turn waits for its checksum.
	holdFor = 300 * time.Millisecond
)

// Writer records a running game into a file. It is not safe for concurrent use.
//
// After each 500 ms of game time the file is a complete replay of the game so far: the last block is written
// uncompressed and padded, and later overwritten. After a crash the file lacks at most one second and the
// leave records of the players.
//
// Calls may block on the file. After an error of the file, every later call returns that error.
type Writer struct {
	f      io.WriterAt
	header Header
	err    error

	queue []byte // encoded records waiting behind a held turn
	held  []heldTurn
	skip  int  // number of checksums to ignore, for turns written without one
	start bool // the mark for "game loaded" was written
	live  bool // keep the file complete while recording
	ahead bool // block holds data that is not in the file yet

	block []byte // last part of the stream, shorter than blockSize
	at    int64  // file offset of block
	dirty time.Duration

	present map[uint8]bool // real players who have not left
	time    time.Duration  // sum of all turns
	written time.Duration  // sum of the turns that are no longer held
	closed  bool
}

// heldTurn is a turn that waits for its checksum.
type heldTurn struct {
	end  int // end of the turn in queue
	time time.Duration
}

// NewWriter writes the header and the start of the game to the empty file f and returns a Writer. The caller
// keeps f open until Close has returned.
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

// newCopy returns a Writer that copies the records of another replay with the given start.
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

// Turn records a 0x0C: its increment and its actions, encoded as in the packet but without the crc. The turn
// is held until Checksum provides its checksum, for at most 300 ms of game time. actions is copied.
func (w *Writer) Turn(increment time.Duration, actions []byte) error {
	w.loaded()
	w.queue = append(w.queue, w.turn(recTurn, increment, actions)...)
	w.time += increment
	w.held = append(w.held, heldTurn{len(w.queue), w.time})
	w.release()
	return w.err
}

// Part records a 0x48. Call it before the Turn to which the part belongs.
func (w *Writer) Part(actions []byte) error {
	w.loaded()
	w.record(w.turn(recTurnPart, 0, actions))
	return w.err
}

// Empty records a turn without duration, actions and checksum, as clients receive them in games with
// GProxy++.
func (w *Writer) Empty() error {
	w.loaded()
	w.record(w.turn(recTurn, 0, nil))
	return w.err
}

// Checksum records the players' sync checksum for the oldest turn that has none yet.
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

// Chat records a chat line; before the first turn it belongs to the loading screen. Versions up to 1.02
// cannot store chat, so it is dropped.
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

// Left records that a player has left with the given result, the reason of the 0x21. The last real player to
// leave counts as the one who recorded the replay.
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

// copy writes a record unchanged.
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

// Close writes the remaining records and completes the file. It does not close the underlying file.
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

// loaded writes the mark for "game loaded", unless already written.
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

// record queues an encoded record behind held turns, or writes it if there are none.
func (w *Writer) record(rec []byte) {
	if len(w.held) == 0 {
		w.put(rec)
		return
	}
	w.queue = append(w.queue, rec...)
}

// settle writes the oldest held turn, its checksum if known, and the records up to the next held turn.
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

// release writes turns whose checksum is overdue.
func (w *Writer) release() {
	for len(w.held) > 0 && w.time-w.held[0].time >= holdFor {
		w.settle(nil)
		w.skip++
	}
	if w.time-w.dirty >= flushEvery {
		w.flush()
	}
}
