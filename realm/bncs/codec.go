package bncs

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// codec encodes or decodes the fields of a packet in order and keeps the first error. Trailing bytes are not an error,
// because servers append fields to packets.
type codec struct {
	writes bool
	b      []byte // output, or remaining input
	err    error
}

// more reports whether an optional field is present in the input.
func (c *codec) more() bool { return !c.writes && len(c.b) > 0 }

func (c *codec) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *codec) bytes(v []byte) {
	switch {
	case c.writes:
		c.b = append(c.b, v...)
	case len(c.b) < len(v):
		c.fail(errShort)
	case c.err == nil:
		c.b = c.b[copy(v, c.b):]
	}
}

func (c *codec) u16(v *uint16) {
	b := binary.LittleEndian.AppendUint16(nil, *v)
	c.bytes(b)
	*v = binary.LittleEndian.Uint16(b)
}

func (c *codec) u32(values ...*uint32) {
	for _, v := range values {
		b := binary.LittleEndian.AppendUint32(nil, *v)
		c.bytes(b)
		*v = binary.LittleEndian.Uint32(b)
	}
}

// str writes or reads NUL-terminated strings. It cuts an outgoing string at a NUL.
func (c *codec) str(values ...*string) {
	for _, v := range values {
		if c.writes {
			s, _, _ := bytes.Cut([]byte(*v), []byte{0})
			c.b = append(append(c.b, s...), 0)
			continue
		}
		s, rest, ok := bytes.Cut(c.b, []byte{0})
		if !ok {
			c.fail(errUnterminated)
		}
		if c.err == nil {
			*v, c.b = string(s), rest
		}
	}
}

// fixed32 and fixedStr write constant fields and ignore received values.
func (c *codec) fixed32(values ...uint32) {
	for _, v := range values {
		c.u32(&v)
	}
}

func (c *codec) fixedStr(values ...string) {
	for _, v := range values {
		c.str(&v)
	}
}

// Decode decodes the frame's body into p, which must be of the frame's kind.
func (f Frame) Decode(p Packet) error {
	c := codec{b: f.Body()}
	p.fields(&c)
	if c.err != nil {
		return fmt.Errorf("frame %v: %w", p.ID(), c.err)
	}
	return nil
}
