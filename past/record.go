package past

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"sync"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

const (
	// BlockLen is how much of a game is packed together. It takes 0.1 to 0.2 ms (BenchmarkPack of game).
	BlockLen = 16 << 10
	// mostRecord bounds a record, packed, and mostTurns its turns: 29 hours at 100 ms.
	mostRecord, mostTurns = 8 << 20, 1 << 20
	// mostBytes and mostLines bound the unpacked size of a file that packs unusually well.
	mostBytes, mostLines = 128 << 20, 1 << 16
)

// Record is a recorded game up to some turn, from which it can go on. It is plain data, so that a
// game's journal can carry it, and nothing of it changes.
type Record struct {
	File   string // that it was read from
	Turns  uint32 // those with an increment, which clients answer
	Length time.Duration
	Left   w3gs.PIDs // they had left by then
	// Blocks are the packets that clients were sent of the turns, 0x48, 0x0C and 0x07, in their
	// order: each a deflate stream of whole ones.
	Blocks [][]byte
	Sums   []byte // for each turn whether its hash is known, u8, and the hash, u32
	Lines  []Line
}

// Line is a chat line to all, or to allies or observers, after so many turns.
type Line struct {
	Turn  uint32
	PID   uint8
	Scope w3gs.ChatScope
	Text  string
}

// ReadRecord reads a recorded game as far as its last turn before a time. Without one, 0, it is
// read as far as its last turn of all: the leaves behind that are how the game ended, and not part of
// what goes on.
func ReadRecord(r *replay.Reader, until time.Duration) (*Record, error) {
	b := builder{until: until}
	for rec, err := range r.Records() {
		if err != nil {
			return nil, texts.Of("the record cannot be read any further than %s: %v; name a time before that", texts.Clock(b.Length), texts.From(err))
		}
		if done, err := b.add(rec); err != nil {
			return nil, err
		} else if done {
			break
		}
	}
	switch {
	case b.Turns == 0:
		return nil, texts.Of("no turn of the game is in the record up to then")
	case until > b.Length:
		return nil, texts.Of("the record ends at %s, before %s", texts.Clock(b.Length), texts.Clock(until))
	}
	b.pack(true)
	if b.size > mostRecord {
		return nil, errTooLong
	}
	return &b.Record, nil
}

var errTooLong = texts.Of("the record is too long: a game cannot go on from it")

// builder reads a record.
type builder struct {
	Record
	until time.Duration
	open  []byte // packets up to the last turn that are not packed
	size  int    // of the packed ones

	// Records behind the last turn belong to the game only if another turn follows.
	tail     []byte
	tailLeft w3gs.PIDs
	bytes    int // of all packets
}

// add takes a record of the file, and reports whether what follows is not wanted.
func (b *builder) add(rec *replay.Record) (done bool, err error) {
	switch rec.Kind {
	case replay.KindTurn:
		if rec.Increment > 0 && b.until > 0 && b.Length >= b.until {
			return true, nil
		}
		return false, b.turn(rec)
	case replay.KindTurnPart:
		return false, b.packet(&w3gs.IncomingAction2{Actions: rec.Commands}, rec)
	case replay.KindLeave:
		b.tailLeft |= w3gs.Only(rec.Leave.PID)
		return false, b.packet(&w3gs.PlayerLeave{PID: rec.Leave.PID, Reason: rec.Leave.Result}, rec)
	case replay.KindChat:
		if c := rec.Chat; c.Flag == w3gs.ChatGame && c.Scope < w3gs.ScopeSlot && len(b.Lines) < mostLines {
			b.Lines = append(b.Lines, Line{b.Turns, c.PID, c.Scope, c.Text})
		}
	case replay.KindChecksum:
		if at := len(b.Sums) - sumLen; at >= 0 && len(rec.Checksum) == 4 {
			b.Sums[at] = 1
			copy(b.Sums[at+1:], rec.Checksum)
		}
	}
	return false, nil
}

// packet adds one to the tail.
func (b *builder) packet(p w3gs.Packet, rec *replay.Record) error {
	if tooLong(rec) {
		return texts.Of("a turn at %s is longer than a host can send", texts.Clock(b.Length))
	}
	before := len(b.tail)
	b.tail = p.AppendTo(b.tail)
	if b.bytes += len(b.tail) - before; b.bytes > mostBytes {
		return errTooLong
	}
	return nil
}

// frameHead is more than stands before the actions of a turn.
const frameHead = 16

// tooLong reports whether a turn of a file fits no packet.
func tooLong(rec *replay.Record) bool { return len(rec.Commands) > w3gs.MaxFrame-frameHead }

// turn adds one, with the packets before it.
func (b *builder) turn(rec *replay.Record) error {
	err := b.packet(&w3gs.IncomingAction{IncrementMillis: uint16(rec.Increment / time.Millisecond), Actions: rec.Commands}, rec)
	if rec.Increment == 0 || err != nil {
		return err
	}
	if b.Turns++; b.Turns > mostTurns {
		return errTooLong
	}
	b.Length += rec.Increment
	b.Left |= b.tailLeft
	b.Sums = append(b.Sums, make([]byte, sumLen)...)
	b.open = append(b.open, b.tail...)
	b.tail, b.tailLeft = b.tail[:0], 0
	if b.pack(false); b.size > mostRecord {
		return errTooLong
	}
	return nil
}

// pack begins a new block, if there is enough for it or nothing follows.
func (b *builder) pack(last bool) {
	if len(b.open) == 0 || len(b.open) < BlockLen && !last {
		return
	}
	packed := Pack(b.open)
	b.Blocks = append(b.Blocks, packed)
	b.size += len(packed)
	b.open = b.open[:0]
}

// packers are of all games: each has 1.2 MB.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // fails for other levels only
	return w
}}

// Pack makes a block of packets: a deflate stream.
func Pack(packets []byte) []byte {
	var b bytes.Buffer
	w := packers.Get().(*flate.Writer)
	w.Reset(&b)
	_, _ = w.Write(packets) // a buffer takes all
	_ = w.Close()
	packers.Put(w)
	return b.Bytes()
}

// Unpack returns the packets of a block.
func Unpack(block []byte) ([]byte, error) { return io.ReadAll(flate.NewReader(bytes.NewReader(block))) }

// sumLen is how many bytes Sums has for each turn.
const sumLen = 5

// Sum is the hash of a turn, from 0; false: it is not known.
func (r *Record) Sum(turn int) (hash uint32, known bool) {
	s := r.Sums[turn*sumLen:][:sumLen]
	return binary.LittleEndian.Uint32(s[1:]), s[0] != 0
}

// Packets are the frames in their order.
func (r *Record) Packets() iter.Seq2[w3gs.Frame, error] {
	return func(yield func(w3gs.Frame, error) bool) {
		for _, packed := range r.Blocks {
			rest, err := Unpack(packed)
			for len(rest) > 0 && err == nil {
				var f w3gs.Frame
				if f, rest, err = w3gs.Next(rest, w3gs.MaxFrame); f == nil && err == nil {
					err = errors.New("a packet is cut")
				}
				if err == nil && !yield(f, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}
