package game

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"time"
)

// A journal contains all inputs of a game in the order of Step, so that the game can be re-executed. Layout: the magic,
// then blocks preceded by their length: first the Config as JSON, then entries. An entry is
//
// kind u8 · time since the previous entry in µs, uvarint · fields, see codec
//
// An entry of kind checkEntry holds the CRC-32 of all orders to the host so far as a u32; the journal of a game that
// ended properly ends with one. Kinds from noteEntry on belong to the host.
const journalMagic = "w3host journal 10\n"

const (
	checkEntry = 0x40 // above the kinds of inputs
	noteEntry  = 0x50 // this and all above are notes of the host, which the game ignores

	// maxBlock limits a block of a damaged journal; the longest packet is shorter.
	maxBlock = 1 << 20

	// clock is the resolution of a journal; times passed to Step are multiples of it.
	clock = time.Microsecond
)

// Journal encodes the inputs of one game. The zero value is ready for use.
type Journal struct {
	at time.Duration
	c  codec
}

// Begin appends the head of the journal to dst: the magic and the configuration.
func (j *Journal) Begin(dst []byte, cfg *Config) ([]byte, error) {
	head, err := json.Marshal(cfg)
	if err != nil {
		return dst, fmt.Errorf("journal of game %d: %w", cfg.ID, err)
	}
	return appendBlock(append(dst, journalMagic...), head), nil
}

// Append appends one input to dst.
func (j *Journal) Append(dst []byte, now time.Duration, in *Input) []byte {
	j.c.b = append(j.c.b[:0], byte(in.Kind))
	j.c.uvarint(uint64((now - j.at) / clock))
	j.c.input(in)
	j.at = now
	return appendBlock(dst, j.c.b)
}

// Check appends the checksum of the output so far to dst.
func (j *Journal) Check(dst []byte, sum uint32) []byte {
	return appendBlock(dst, binary.LittleEndian.AppendUint32([]byte{checkEntry}, sum))
}

// AppendNote appends a note of the host to dst: its number and its text.
func AppendNote(dst []byte, number byte, text []byte) []byte {
	dst = append(binary.AppendUvarint(dst, uint64(1+len(text))), noteEntry+number)
	return append(dst, text...)
}

func appendBlock(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// Sum extends a CRC-32 by the orders in o.
func (o *Out) Sum(sum uint32) uint32 {
	for i := range o.Ops {
		op := &o.Ops[i]
		b := append(o.head[:0], byte(op.Kind), op.PID, op.From, op.Empties)
		for _, n := range [...]uint32{uint32(op.To), uint32(op.Link), op.At, op.End} {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
		b = append(append(b, op.Frame...), op.Text...) // hashing once is about three times faster than hashing the parts
		o.head = b
		sum = crc32.Update(sum, crc32.IEEETable, b)
	}
	return sum
}
