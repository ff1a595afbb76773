package game

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"w3host/protocol/w3gs"
)

// A journal is a game's inputs in the order in which Step took them, so that
// the game can be run again. Its layout: the magic, then blocks behind their
// length: the Config as JSON, and entries. An entry is
//
//	kind u8 · time since the entry before, µs uvarint · fields, see codec
//
// An entry of kind checkEntry holds the CRC-32 of all orders to the host so far
// as an u32; it ends a journal of a game that ended well.
const journalMagic = "w3host journal 3\n"

const (
	checkEntry = 0x40 // no Kind of an Input

	// maxBlock bounds a block of a damaged journal; the longest packet is shorter.
	maxBlock = 1 << 20

	// clock is the resolution of a journal: Step is given multiples of it.
	clock = time.Microsecond
)

// Journal writes the inputs of one game as bytes. The zero value is ready.
type Journal struct {
	at time.Duration
	c  codec
}

// Begin appends the head of the journal of a game with this configuration.
func (j *Journal) Begin(dst []byte, cfg *Config) ([]byte, error) {
	head, err := json.Marshal(cfg)
	if err != nil {
		return dst, fmt.Errorf("journal of game %d: %w", cfg.ID, err)
	}
	return appendBlock(append(dst, journalMagic...), head), nil
}

// Append appends one input.
func (j *Journal) Append(dst []byte, now time.Duration, in *Input) []byte {
	j.c.b = append(j.c.b[:0], byte(in.Kind))
	j.c.uvarint(uint64((now - j.at) / clock))
	j.c.input(in)
	j.at = now
	return appendBlock(dst, j.c.b)
}

// Check appends the sum of what came out so far.
func (j *Journal) Check(dst []byte, sum uint32) []byte {
	return appendBlock(dst, binary.LittleEndian.AppendUint32([]byte{checkEntry}, sum))
}

func appendBlock(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// Sum continues a CRC-32 over the orders to the host.
func (o *Out) Sum(sum uint32) uint32 {
	for i := range o.Ops {
		op := &o.Ops[i]
		b := append(o.head[:0], byte(op.Kind), op.PID, op.From, op.Empties)
		for _, n := range [...]uint32{uint32(op.To), uint32(op.Link), op.At, op.End} {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
		o.head = b
		sum = crc32.Update(sum, crc32.IEEETable, b)
		sum = crc32.Update(sum, crc32.IEEETable, op.Frame)
		sum = crc32.Update(sum, crc32.IEEETable, []byte(op.Text))
	}
	return sum
}

// Entry is one input with its time; or, where Check is set, the sum that the
// game had at this place.
type Entry struct {
	At    time.Duration
	Input Input
	Check bool
	Sum   uint32
}

type journalReader struct {
	r  *bufio.Reader
	at time.Duration
	c  codec
}

// readJournal reads the head of a journal.
func readJournal(r io.Reader) (*journalReader, Config, error) {
	var cfg Config
	jr := &journalReader{r: bufio.NewReader(r)}
	magic := make([]byte, len(journalMagic))
	if _, err := io.ReadFull(jr.r, magic); err != nil || string(magic) != journalMagic {
		return nil, cfg, errors.New("this is no journal of a game, or of another version of w3host")
	}
	head, err := jr.block()
	if err == nil {
		err = json.Unmarshal(head, &cfg)
	}
	if err != nil {
		return nil, cfg, fmt.Errorf("journal head: %w", err)
	}
	return jr, cfg, nil
}

// block ends with io.EOF only where none begins.
func (r *journalReader) block() ([]byte, error) {
	n, err := binary.ReadUvarint(r.r)
	if err != nil {
		return nil, err
	}
	if n == 0 || n > maxBlock {
		return nil, fmt.Errorf("a block of %d bytes", n)
	}
	b := make([]byte, n)
	if _, err = io.ReadFull(r.r, b); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return b, nil
}

// next reads an entry; io.EOF ends the journal, io.ErrUnexpectedEOF one that
// was cut.
func (r *journalReader) next() (e Entry, err error) {
	b, err := r.block()
	if err != nil {
		return e, err
	}
	kind, b := b[0], b[1:]
	if kind == checkEntry && len(b) == 4 {
		return Entry{At: r.at, Check: true, Sum: binary.LittleEndian.Uint32(b)}, nil
	}
	in := &e.Input
	r.c.reads, r.c.b = true, b
	r.at += time.Duration(r.c.uvarint(0)) * clock
	e.At, in.Kind = r.at, Kind(kind)
	r.c.input(in)
	_, joins := in.Packet.(*w3gs.ReqJoin)
	switch {
	case int(kind) >= len(kinds):
		r.c.fail(fmt.Errorf("journal entry of kind %d", kind))
	case len(r.c.b) > 0:
		r.c.fail(fmt.Errorf("an unknown field %d", r.c.b[0]))
	case in.Kind == Command && in.Caller == nil:
		r.c.fail(errors.New("a command of nobody"))
	case in.Kind == Join && !joins:
		r.c.fail(errors.New("a join without its packet"))
	}
	return e, r.c.err
}
