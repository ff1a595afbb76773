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

// JournalItem is one entry of a journal: an input with its time; if Check is set, the checksum of the game at this
// point; or, if Note is not nil, a note of the host.
type JournalItem struct {
	At    time.Duration
	Input Input
	Check bool
	Sum   uint32
	Note  []byte // text of a note, or nil
	Kind  byte   // number of the note
}

// Reader reads a journal. Entries alias the bytes of the journal; actions and acknowledgements need no allocation.
type Reader struct {
	b    []byte
	left []byte
	at   time.Duration
	c    codec
}

// NewReader reads the head of a journal. It returns an error for a journal of another format version.
func NewReader(journal []byte) (*Reader, Config, error) {
	var cfg Config
	if len(journal) < len(journalMagic) || string(journal[:len(journalMagic)]) != journalMagic {
		return nil, cfg, errors.New("not a journal of a game, or one of another version of w3host")
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

// Continue continues with a longer version of the same journal.
func (r *Reader) Continue(journal []byte) { r.b, r.left = journal, journal[r.Offset():] }

// Offset returns the position of the next entry.
func (r *Reader) Offset() int { return len(r.b) - len(r.left) }

// Writer returns a Journal that appends after the reader's position.
func (r *Reader) Writer() Journal { return Journal{at: r.at, c: codec{sum: r.c.sum}} }

// block returns the next block. It returns io.EOF only at the end of a block.
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

// answer reads the next entry if it is an acknowledgement of the usual length by one of the first links, as most entries
// are. Near the end of the journal it leaves entries to the general code.
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

// become resets e to an entry of this kind.
func (e *JournalItem) become(at time.Duration, kind Kind) {
	if in := &e.Input; frequent(in.Kind) && frequent(kind) {
		e.At, in.Kind, in.Data, in.Sum = at, kind, nil, 0 // frequent kinds have no other fields
	} else {
		*e = JournalItem{At: at, Input: Input{Kind: kind}}
	}
}

// Next reads an entry. It returns io.EOF at the end and io.ErrUnexpectedEOF if the journal is truncated.
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

// check rejects values that cannot occur in a journal.
func (c *codec) check(in *Input) {
	switch {
	case len(c.b) > 0:
		c.fail(fmt.Errorf("an unknown field %d", c.b[0]))
	case (in.Kind == Command || in.Kind == SayAll) && in.Caller == nil:
		c.fail(errors.New("a command without a caller"))
	case in.Kind == Join:
		if _, joins := in.Packet.(*w3gs.ReqJoin); !joins {
			c.fail(errors.New("a join without its packet"))
		}
	case in.Kind == Packet && in.Packet == nil:
		c.fail(errors.New("a packet input without a packet"))
	}
}

// LastAt reports whether the entry at offset is the last one.
func LastAt(journal []byte, offset int) bool {
	r := &Reader{left: journal[min(offset, len(journal)):]}
	_, err := r.block()
	return err == nil && len(r.left) == 0
}

// WithoutNotes returns a copy of a journal without the host's notes, as it is stored in a file.
func WithoutNotes(journal []byte) []byte {
	r, _, err := NewReader(journal)
	if err != nil {
		return nil
	}
	head := r.Offset()
	return AppendWithoutNotes(append(make([]byte, 0, len(journal)), journal[:head]...), journal, head)
}

// AppendWithoutNotes appends the entries of journal from an offset on, without notes, to file.
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

// NoteAt returns the text of the note at offset.
func NoteAt(journal []byte, offset int) ([]byte, error) {
	var e JournalItem
	r := &Reader{b: journal, left: journal[offset:]}
	if err := r.Next(&e); err != nil || e.Note == nil {
		return nil, errors.Join(errors.New("there is no note"), err)
	}
	return e.Note, nil
}
