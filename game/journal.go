package game

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"time"
)

// A journal is a game's inputs in the order in which Step took them, so that
// the game can be run again. Its layout: the magic, then blocks behind their
// length: the Config as JSON, and entries. An entry is
//
//	kind u8 · time since the entry before, µs uvarint · fields, see codec
//
// An entry of kind checkEntry holds the CRC-32 of all orders to the host so far
// as an u32; it ends a journal of a game that ended well. Kinds from noteEntry on
// are the host's own.
const journalMagic = "w3host journal 9\n"

const (
	checkEntry = 0x40 // no Kind of an Input
	noteEntry  = 0x50 // this and all above: a note of the host, which the game knows nothing of

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

// Check appends the sum of the output so far.
func (j *Journal) Check(dst []byte, sum uint32) []byte {
	return appendBlock(dst, binary.LittleEndian.AppendUint32([]byte{checkEntry}, sum))
}

// AppendNote appends a note of the host: its number, and its text.
func AppendNote(dst []byte, number byte, text []byte) []byte {
	dst = append(binary.AppendUvarint(dst, uint64(1+len(text))), noteEntry+number)
	return append(dst, text...)
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
		b = append(append(b, op.Frame...), op.Text...) // one sum of a hundred bytes takes less than three of a third
		o.head = b
		sum = crc32.Update(sum, crc32.IEEETable, b)
	}
	return sum
}
