package game

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"w3host/protocol/w3gs"
)

// JournalItem is one input with its time; or, where Check is set, the sum that the game had at
// this place; or, where Note is not nil, a note of the host.
type JournalItem struct {
	At    time.Duration
	Input Input
	Check bool
	Sum   uint32
	Note  []byte // the text of a note, nil for none
	Kind  byte   // the number of the note
}

// Reader reads a journal. The bytes of an entry belong to the journal: nothing is
// allocated for an action or an acknowledgement.
type Reader struct {
	b    []byte
	left []byte
	at   time.Duration
	c    codec
}

// NewReader reads the head of a journal.
func NewReader(journal []byte) (*Reader, Config, error) {
	var cfg Config
	if len(journal) < len(journalMagic) || string(journal[:len(journalMagic)]) != journalMagic {
		return nil, cfg, errors.New("this is no journal of a game, or of another version of w3host")
	}
	r := &Reader{b: journal, left: journal[len(journalMagic):], c: codec{reads: true}}
	head, err := r.block()
	if err == nil {
		err = json.Unmarshal(head, &cfg)
	}
	if err != nil {
		return nil, cfg, fmt.Errorf("journal head: %w", err)
	}
	return r, cfg, nil
}

// Continue goes on with a journal that has grown since.
func (r *Reader) Continue(journal []byte) { r.b, r.left = journal, journal[r.Offset():] }

// Offset is where the next entry begins.
func (r *Reader) Offset() int { return len(r.b) - len(r.left) }

// Writer goes on writing where the reader has come to.
func (r *Reader) Writer() Journal { return Journal{at: r.at, c: codec{sum: r.c.sum}} }

// block ends with io.EOF only where none begins.
func (r *Reader) block() ([]byte, error) {
	n, size := binary.Uvarint(r.left)
	switch {
	case len(r.left) == 0:
		return nil, io.EOF
	case size == 0:
		return nil, io.ErrUnexpectedEOF
	case size < 0 || n == 0 || n > maxBlock:
		return nil, fmt.Errorf("a block of %d bytes", n)
	case n > uint64(len(r.left)-size):
		return nil, io.ErrUnexpectedEOF
	}
	b := r.left[size : size+int(n) : size+int(n)]
	r.left = r.left[size+int(n):]
	return b, nil
}

// answer reads the next entry if it is an acknowledgement of a usual length by one of the first links, as most entries
// are. The last ones of a journal are read as any others.
func (r *Reader) answer(e *JournalItem) bool {
	if r.c.err != nil || len(r.left) < 16 || r.left[0] > 15 || r.left[0] < 4 || r.left[1] != byte(Keepalive) {
		return false
	}
	b := r.left[2 : 1+r.left[0]]
	after, n := binary.Uvarint(b)
	if n <= 0 || len(b) < n+2 || b[n] != 1 || b[n+1] >= 0x80 {
		return false
	}
	link := LinkID(b[n+1])
	if b = b[n+2:]; len(b) > 0 {
		changed, n := binary.Uvarint(b[1:])
		if b[0] != 2 || n <= 0 || n != len(b)-1 {
			return false
		}
		r.c.sum ^= uint32(changed)
	}
	r.left = r.left[1+r.left[0]:]
	r.at += time.Duration(after) * clock
	e.become(r.at, Keepalive)
	e.Input.Link, e.Input.Sum, e.Input.Bytes = link, r.c.sum, answerLen
	return true
}

// become empties e for an entry of that kind.
func (e *JournalItem) become(at time.Duration, kind Kind) {
	if in := &e.Input; frequent(in.Kind) && frequent(kind) {
		e.At, in.Kind, in.Data, in.Sum = at, kind, nil, 0 // they have nothing else
	} else {
		*e = JournalItem{At: at, Input: Input{Kind: kind}}
	}
}

// Next reads an entry; io.EOF ends the journal, io.ErrUnexpectedEOF one that was cut.
func (r *Reader) Next(e *JournalItem) error {
	if r.answer(e) {
		return nil
	}
	b, err := r.block()
	if err != nil {
		return err
	}
	kind, b := b[0], b[1:]
	switch {
	case kind >= noteEntry:
		*e = JournalItem{At: r.at, Note: b, Kind: kind - noteEntry}
		return nil
	case kind == checkEntry && len(b) == 4:
		*e = JournalItem{At: r.at, Check: true, Sum: binary.LittleEndian.Uint32(b)}
		return nil
	case int(kind) >= len(kinds):
		return fmt.Errorf("journal entry of kind %d", kind)
	}
	r.c.b = b
	r.at += time.Duration(r.c.uvarint(0)) * clock
	e.become(r.at, Kind(kind))
	r.c.input(&e.Input)
	r.c.check(&e.Input)
	return r.c.err
}

func frequent(k Kind) bool { return k == Keepalive || k == Action }

// check finds values that no journal holds.
func (c *codec) check(in *Input) {
	switch {
	case len(c.b) > 0:
		c.fail(fmt.Errorf("an unknown field %d", c.b[0]))
	case (in.Kind == Command || in.Kind == SayAll) && in.Caller == nil:
		c.fail(errors.New("a command of nobody"))
	case in.Kind == Join:
		if _, joins := in.Packet.(*w3gs.ReqJoin); !joins {
			c.fail(errors.New("a join without its packet"))
		}
	case in.Kind == Packet && in.Packet == nil:
		c.fail(errors.New("a packet that is none"))
	}
}

// LastAt reports whether the last entry is that at an offset.
func LastAt(journal []byte, offset int) bool {
	r := &Reader{left: journal[min(offset, len(journal)):]}
	_, err := r.block()
	return err == nil && len(r.left) == 0
}

// WithoutNotes returns a journal in the form of a file.
func WithoutNotes(journal []byte) []byte {
	r, _, err := NewReader(journal)
	if err != nil {
		return nil
	}
	head := r.Offset()
	return AppendWithoutNotes(append(make([]byte, 0, len(journal)), journal[:head]...), journal, head)
}

// AppendWithoutNotes appends the entries of a journal from an offset on.
func AppendWithoutNotes(file, journal []byte, from int) []byte {
	r := &Reader{b: journal, left: journal[from:]}
	for {
		at := r.Offset()
		b, err := r.block()
		if err != nil {
			return file
		}
		if b[0] < noteEntry {
			file = append(file, journal[at:r.Offset()]...)
		}
	}
}

// NoteAt is the text of the note at an offset.
func NoteAt(journal []byte, offset int) ([]byte, error) {
	var e JournalItem
	r := &Reader{b: journal, left: journal[offset:]}
	if err := r.Next(&e); err != nil || e.Note == nil {
		return nil, errors.Join(errors.New("there is no note"), err)
	}
	return e.Note, nil
}
