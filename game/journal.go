package game

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"net/netip"
	"time"

	"w3host/command"
	"w3host/mapxfer"
	"w3host/texts"
	"w3host/w3gs"
)

// A journal is a game's inputs in the order in which Step took them, so that
// the game can be run again. Its layout: the magic, the Config as JSON behind
// its length, then entries. An entry is
//
//	kind u8 · time since the entry before, µs uvarint · link uvarint · fields
//
// with the fields of its kind, strings and bytes behind their length, numbers
// as varints. An entry of kind checkEntry holds the CRC-32 of all orders to the
// host so far; it ends a journal of a game that ended well.
const journalMagic = "w3host journal 2\n"

const (
	checkEntry Kind = 0x40 // not an input: the sum of what came out
	sameSum    Kind = 0x80 // a Keepalive whose sum is that of the one before

	// maxField bounds a field of a damaged journal; the longest packet is shorter.
	maxField = 1 << 20
)

// Clock is the resolution of a journal. Whoever keeps one gives Step times that
// are whole multiples of it.
const Clock = time.Microsecond

// Journal writes the inputs of one game as bytes. The zero value is ready.
type Journal struct {
	at  time.Duration
	sum uint32
}

// Begin appends the head of the journal of a game with this configuration.
func (j *Journal) Begin(dst []byte, cfg *Config) ([]byte, error) {
	head, err := json.Marshal(cfg)
	if err != nil {
		return dst, fmt.Errorf("journal of game %d: %w", cfg.ID, err)
	}
	return appendBytes(append(dst, journalMagic...), head), nil
}

// Append appends one input.
func (j *Journal) Append(dst []byte, now time.Duration, in *Input) []byte {
	kind := in.Kind
	if kind == Keepalive && in.Sum == j.sum {
		kind |= sameSum
	}
	dst = append(dst, byte(kind))
	dst = binary.AppendUvarint(dst, uint64((now-j.at)/Clock))
	dst = binary.AppendUvarint(dst, uint64(in.Link))
	j.at = now
	switch in.Kind {
	case Join:
		dst = appendBytes(dst, []byte(in.Addr.String()))
		dst = appendBytes(dst, []byte(in.Banned))
		shared := byte(0)
		if in.Shared {
			shared = 1
		}
		vouched := byte(0)
		if in.Vouched {
			vouched = 1
		}
		dst = append(dst, byte(in.Level), shared, vouched)
		dst = appendBytes(dst, []byte(in.Realm))
		dst = appendBytes(dst, in.Packet.AppendTo(nil))
	case Packet:
		dst = append(dst, byte(in.Level))
		dst = appendFigures(dst, &in.Figures)
		dst = binary.AppendVarint(dst, int64(in.By))
		dst = appendBytes(dst, in.Packet.AppendTo(nil))
	case Action:
		dst = appendBytes(dst, in.Data)
	case Keepalive:
		if kind == Keepalive {
			dst = binary.LittleEndian.AppendUint32(dst, in.Sum)
			j.sum = in.Sum
		}
	case Forfeit:
		dst = appendBytes(append(dst, in.PID), []byte(in.Why))
	case Lost, Ban, Stop:
		dst = appendBytes(dst, []byte(in.Why))
	case Vouch:
		dst = append(dst, byte(in.Level))
	case Resume:
		dst = appendBytes(append(dst, in.PID), []byte(in.Addr.String()))
	case Backlog:
		dst = binary.AppendUvarint(dst, uint64(in.Queued))
		dst = appendFigures(dst, &in.Figures)
		dst = binary.AppendUvarint(dst, in.Moves)
	case Rated:
		dst = binary.AppendUvarint(dst, math.Float64bits(in.Skill.Mu))
		dst = binary.AppendUvarint(dst, math.Float64bits(in.Skill.Sigma))
	case Login:
		dst = appendBytes(append(dst, byte(in.Level)), []byte(in.Why))
		dst = binary.AppendVarint(dst, int64(in.By))
	case Prefer:
		dst = append(dst, byte(in.Language))
	case HostLate, Beat:
		dst = binary.AppendVarint(dst, int64(in.By))
	case Command, Tell:
		caller, _ := json.Marshal(in.Caller) // plain data: it cannot fail
		dst = appendBytes(appendBytes(dst, caller), []byte(in.Line))
	}
	return dst
}

// Check appends the sum of what came out so far.
func (j *Journal) Check(dst []byte, sum uint32) []byte {
	dst = append(dst, byte(checkEntry), 0, 0)
	return binary.LittleEndian.AppendUint32(dst, sum)
}

func appendFigures(dst []byte, f *mapxfer.Figures) []byte {
	for _, n := range [...]uint64{uint64(f.Queued), uint64(f.Unacked), uint64(f.RTT), uint64(f.MinRTT)} {
		dst = binary.AppendUvarint(dst, n)
	}
	return dst
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// Sum continues a CRC-32 over the orders to the host.
func (o *Out) Sum(sum uint32) uint32 {
	var head [32]byte
	for i := range o.Ops {
		op := &o.Ops[i]
		b := append(head[:0], byte(op.Kind), op.PID, op.From, op.Empties)
		b = binary.LittleEndian.AppendUint32(b, uint32(op.To))
		b = binary.LittleEndian.AppendUint32(b, uint32(op.Link))
		b = binary.LittleEndian.AppendUint32(b, op.At)
		b = binary.LittleEndian.AppendUint32(b, op.End)
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

// JournalReader reads a journal.
type JournalReader struct {
	r   *bufio.Reader
	at  time.Duration
	sum uint32
}

// ReadJournal reads the head of a journal.
func ReadJournal(r io.Reader) (*JournalReader, Config, error) {
	var cfg Config
	jr := &JournalReader{r: bufio.NewReader(r)}
	magic := make([]byte, len(journalMagic))
	if _, err := io.ReadFull(jr.r, magic); err != nil || string(magic) != journalMagic {
		return nil, cfg, errors.New("this is no journal of a game, or of another version of w3host")
	}
	head, err := jr.bytes()
	if err != nil {
		return nil, cfg, fmt.Errorf("journal head: %w", err)
	}
	if err := json.Unmarshal(head, &cfg); err != nil {
		return nil, cfg, fmt.Errorf("journal head: %w", err)
	}
	return jr, cfg, nil
}

// Next reads an entry; io.EOF ends the journal, io.ErrUnexpectedEOF one that
// was cut.
func (r *JournalReader) Next() (Entry, error) {
	b, err := r.r.ReadByte()
	if err != nil {
		return Entry{}, err
	}
	e, err := r.entry(Kind(b))
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return e, err
}

func (r *JournalReader) entry(kind Kind) (e Entry, err error) {
	since := r.number(&err)
	in := &e.Input
	in.Link = LinkID(r.number(&err))
	r.at += time.Duration(since) * Clock
	e.At, in.Kind = r.at, kind&^sameSum
	switch in.Kind {
	case checkEntry:
		e.Check, e.Sum = true, r.u32(&err)
	case Join:
		in.Addr, _ = netip.ParseAddrPort(r.text(&err))
		in.Banned = r.text(&err)
		in.Level, in.Shared = command.Level(r.byte(&err)), r.byte(&err) == 1
		in.Vouched, in.Realm = r.byte(&err) == 1, r.text(&err)
		in.Packet = r.packet(&err)
	case Packet:
		in.Level = command.Level(r.byte(&err))
		in.Figures = r.figures(&err)
		in.By = r.signed(&err)
		in.Packet = r.packet(&err)
	case Action:
		in.Data = []byte(r.text(&err))
	case Keepalive:
		if kind == Keepalive {
			r.sum = r.u32(&err)
		}
		in.Sum = r.sum
	case Forfeit:
		in.PID, in.Why = r.byte(&err), r.text(&err)
	case Lost, Ban, Stop:
		in.Why = r.text(&err)
	case Vouch:
		in.Level = command.Level(r.byte(&err))
	case Resume:
		in.PID = r.byte(&err)
		in.Addr, _ = netip.ParseAddrPort(r.text(&err))
	case Backlog:
		in.Queued, in.Figures, in.Moves = int(r.number(&err)), r.figures(&err), r.number(&err)
	case Rated:
		in.Skill.Mu = math.Float64frombits(r.number(&err))
		in.Skill.Sigma = math.Float64frombits(r.number(&err))
	case Login:
		in.Level, in.Why, in.By = command.Level(r.byte(&err)), r.text(&err), r.signed(&err)
	case Prefer:
		in.Language = texts.Language(r.byte(&err))
	case HostLate, Beat:
		in.By = r.signed(&err)
	case Command, Tell:
		if caller := r.text(&err); err == nil {
			err = json.Unmarshal([]byte(caller), &in.Caller)
		}
		if in.Caller == nil && in.Kind == Command && err == nil {
			err = errors.New("a command of nobody")
		}
		in.Line = r.text(&err)
	case Tick, Proxy, Extended, Acked:
	default:
		err = errors.Join(err, fmt.Errorf("journal entry of kind %d", kind))
	}
	return e, err
}

func (r *JournalReader) bytes() ([]byte, error) {
	n, err := binary.ReadUvarint(r.r)
	if err != nil {
		return nil, err
	}
	if n > maxField {
		return nil, fmt.Errorf("a field of %d bytes", n)
	}
	b := make([]byte, n)
	_, err = io.ReadFull(r.r, b)
	return b, err
}

func (r *JournalReader) number(err *error) uint64 {
	if *err != nil {
		return 0
	}
	var n uint64
	n, *err = binary.ReadUvarint(r.r)
	return n
}

func (r *JournalReader) figures(err *error) mapxfer.Figures {
	return mapxfer.Figures{
		Queued: int(r.number(err)), Unacked: int(r.number(err)),
		RTT: time.Duration(r.number(err)), MinRTT: time.Duration(r.number(err)),
	}
}

func (r *JournalReader) signed(err *error) time.Duration {
	if *err != nil {
		return 0
	}
	var n int64
	n, *err = binary.ReadVarint(r.r)
	return time.Duration(n)
}

func (r *JournalReader) byte(err *error) (b byte) {
	if *err == nil {
		b, *err = r.r.ReadByte()
	}
	return b
}

func (r *JournalReader) u32(err *error) uint32 {
	var b [4]byte
	if *err == nil {
		_, *err = io.ReadFull(r.r, b[:])
	}
	return binary.LittleEndian.Uint32(b[:])
}

func (r *JournalReader) text(err *error) string {
	if *err != nil {
		return ""
	}
	var b []byte
	b, *err = r.bytes()
	return string(b)
}

func (r *JournalReader) packet(err *error) w3gs.Packet {
	b := []byte(r.text(err))
	if *err != nil {
		return nil
	}
	frame, rest, frameErr := w3gs.Next(b, w3gs.MaxFrame)
	if frameErr != nil || frame == nil || len(rest) > 0 {
		*err = errors.New("a broken packet")
		return nil
	}
	var p w3gs.Packet
	p, *err = w3gs.Decode(frame, w3gs.FromClient)
	return p
}
