package game

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"

	"w3host/protocol/w3gs"
)

const (
	// headLen is the length of the opcode and length of a packet.
	headLen = 4
	// answerLen is the usual length of a 0x27.
	answerLen = headLen + 5
)

// codec encodes or decodes the fields of an Input; the same code does both. Fields are numbered from 1 in the order of
// the code and omitted if zero. Integers are uvarints; strings, bytes and JSON are preceded by their length.
type codec struct {
	reads bool
	b     []byte // output, or remaining input
	err   error
	field byte   // number of the current field
	sum   uint32 // checksum of the last Keepalive; most acknowledgements repeat it
}

// input encodes or decodes all fields of an input.
func (c *codec) input(in *Input) {
	if c.reads && in.Kind == Tick && len(c.b) == 0 {
		return
	}
	c.field = 0
	number(c, &in.Link)
	switch in.Kind { // the two most frequent kinds have only one more field
	case Action:
		if c.has(len(in.Data) > 0) {
			in.Data = c.bytes(in.Data)
		}
		c.length(in, headLen+4+len(in.Data))
		return
	case Keepalive:
		changed := in.Sum ^ c.sum
		number(c, &changed)
		c.sum ^= changed
		in.Sum = c.sum
		c.length(in, answerLen)
		return
	}
	number(c, &in.Queued)
	number(c, &in.Moves)
	number(c, &in.Figures.Queued)
	number(c, &in.Figures.Unacked)
	number(c, &in.Figures.RTT)
	number(c, &in.Figures.MinRTT)
	number(c, &in.Level)
	number(c, &in.By)
	number(c, &in.PID)
	number(c, &in.Language)
	in.Shared, in.Vouched = c.has(in.Shared), c.has(in.Vouched)
	for _, s := range [...]*string{&in.Realm, &in.Banned, &in.Why, &in.Line} {
		c.text(s)
	}
	for _, f := range [...]*float64{&in.Skill.Mu, &in.Skill.Sigma} {
		bits := math.Float64bits(*f)
		number(c, &bits)
		*f = math.Float64frombits(bits)
	}
	if c.has(in.Addr.IsValid()) {
		in.Addr, _ = netip.ParseAddrPort(string(c.bytes([]byte(in.Addr.String()))))
	}
	c.caller(in)
	usual := c.frame(in)
	if in.Kind != Packet {
		usual = 0
	}
	number(c, &in.Version)
	c.text(&in.Like)
	number(c, &in.Games)
	c.length(in, usual)
	c.text(&in.Country)
	number(c, &in.Last)
}

// caller encodes or decodes the caller of a command.
func (c *codec) caller(in *Input) {
	if !c.has(in.Caller != nil) {
		return
	}
	caller, _ := json.Marshal(in.Caller) // plain data, which can always be marshalled
	if caller = c.bytes(caller); c.reads {
		c.fail(json.Unmarshal(caller, &in.Caller))
	}
}

// frame encodes or decodes the packet and returns the length of its frame.
func (c *codec) frame(in *Input) int {
	if !c.has(in.Packet != nil) {
		return 0
	}
	var frame []byte
	if !c.reads {
		frame = in.Packet.AppendTo(nil)
	}
	if frame = c.bytes(frame); c.reads {
		in.Packet = c.packet(frame)
	}
	return len(frame)
}

// length encodes or decodes Bytes as the difference from its usual value.
func (c *codec) length(in *Input, usual int) {
	more := in.Bytes - usual
	number(c, &more)
	in.Bytes = usual + more
}

// has starts the next field and reports whether it is present.
func (c *codec) has(some bool) bool {
	c.field++
	if c.reads {
		if some = len(c.b) > 0 && c.b[0] == c.field; some {
			c.b = c.b[1:]
		}
	} else if some {
		c.b = append(c.b, c.field)
	}
	return some
}

func number[T ~int | ~int64 | ~uint8 | ~uint32 | ~uint64](c *codec, n *T) {
	if !c.has(*n != 0) {
		*n = 0
		return
	}
	*n = T(c.uvarint(uint64(*n)))
}

// uvarint writes n, or reads a number and returns it.
func (c *codec) uvarint(n uint64) uint64 {
	if !c.reads {
		c.b = binary.AppendUvarint(c.b, n)
		return n
	}
	if len(c.b) > 0 && c.b[0] < 0x80 { // fast path for most numbers
		n, c.b = uint64(c.b[0]), c.b[1:]
		return n
	}
	n, size := binary.Uvarint(c.b)
	if size <= 0 {
		c.fail(errors.New("invalid number"))
		return 0
	}
	c.b = c.b[size:]
	return n
}

// text encodes or decodes a string field.
func (c *codec) text(s *string) {
	if c.has(*s != "") {
		*s = string(c.bytes([]byte(*s)))
	}
}

// bytes writes b with its length, or reads and returns bytes, which alias the input.
func (c *codec) bytes(b []byte) []byte {
	n := c.uvarint(uint64(len(b)))
	if !c.reads {
		c.b = append(c.b, b...)
		return b
	}
	if n > uint64(len(c.b)) {
		c.fail(fmt.Errorf("invalid field length %d", n))
		return nil
	}
	b, c.b = c.b[:n:n], c.b[n:]
	return b
}

func (c *codec) packet(b []byte) w3gs.Packet {
	frame, rest, err := w3gs.Next(b, w3gs.MaxFrame)
	if err != nil || frame == nil || len(rest) > 0 {
		c.fail(errors.New("invalid packet"))
		return nil
	}
	p, err := w3gs.Decode(frame, w3gs.FromClient)
	c.fail(err)
	return p
}

// fail records the first error. Nothing is read after it.
func (c *codec) fail(err error) {
	if err != nil && c.err == nil {
		c.b, c.err = nil, err
	}
}
