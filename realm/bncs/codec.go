package bncs

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// codec writes the fields of a packet, or reads them, in order, and remembers the
// first fault. Bytes behind the last field are not one: servers append to packets.
type codec struct {
	writes bool
	b      []byte // the bytes written, or left to read
	err    error
}

// more reports whether a field that may be missing is there to read.
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

// str ends a text at a NUL inside it, which would break the packet.
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

// fixed32 and fixedStr are fields of which the value read does not matter.
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

// Decode reads the frame's body into a packet of its kind.
func (f Frame) Decode(p Packet) error {
	c := codec{b: f.Body()}
	p.fields(&c)
	if c.err != nil {
		return fmt.Errorf("frame %v: %w", p.ID(), c.err)
	}
	return nil
}
