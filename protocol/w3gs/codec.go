package w3gs

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// codec reads or appends the fields of a packet in wire order: one list of
// fields serves both ways. When reading it remembers the first fault; fields
// behind it are zero.
type codec struct {
	op      Op
	reading bool
	b       []byte // the payload, or the buffer that is appended to
	at      int    // the next byte to read, or where the frame begins
	err     error
}

// read begins to read a payload.
func read(b []byte, op Op) *codec { return &codec{op: op, reading: true, b: b} }

// begin appends a header whose length end fills in.
func begin(b []byte, op Op) *codec {
	return &codec{op: op, at: len(b), b: append(b, Magic, byte(op), 0, 0)}
}

// end returns the bytes, with the length of the frame in its header.
func (c *codec) end() []byte {
	n := len(c.b) - c.at
	if n > MaxFrame {
		tooLong(c.op)
	}
	binary.LittleEndian.PutUint16(c.b[c.at+2:], uint16(n))
	return c.b
}

// tooLong is a bug of the caller: every list and string that can grow is bounded
// before it comes here.
//
//go:noinline
func tooLong(op Op) { panic("w3gs: packet over 65535 bytes: " + op.String()) }

// done returns the first fault, or that bytes are left over.
func (c *codec) done() error {
	if c.left() > 0 {
		c.fail(ErrTrailing)
	}
	return c.err
}

// failAt keeps the first fault, and ends the payload there. Appended values are the
// caller's business.
//
//go:noinline
func (c *codec) failAt(offset int, err error) {
	if c.reading && c.err == nil {
		c.err = &DecodeError{Op: c.op, Offset: offset, Err: err}
		c.b = c.b[:c.at]
	}
}

func (c *codec) fail(err error) { c.failAt(c.at, err) }

// left is how many bytes are still to be read.
func (c *codec) left() int { return len(c.b) - c.at }

// take reads n bytes, which alias the payload; nil if they are not there.
func (c *codec) take(n int) []byte {
	if c.left() < n || c.err != nil {
		c.fail(ErrShort)
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at : c.at]
}

func (c *codec) u8(v *uint8) *codec {
	switch next := c.at + 1; {
	case !c.reading:
		c.b = append(c.b, *v)
	case next <= len(c.b):
		*v, c.at = c.b[c.at], next
	default:
		*v = 0
		c.fail(ErrShort)
	}
	return c
}

func (c *codec) u16(v *uint16) *codec {
	switch next := c.at + 2; {
	case !c.reading:
		c.b = append(c.b, byte(*v), byte(*v>>8))
	case next <= len(c.b):
		*v, c.at = binary.LittleEndian.Uint16(c.b[c.at:]), next
	default:
		*v = 0
		c.fail(ErrShort)
	}
	return c
}

func (c *codec) u32(v *uint32) *codec {
	switch next := c.at + 4; {
	case !c.reading:
		c.b = append(c.b, byte(*v), byte(*v>>8), byte(*v>>16), byte(*v>>24))
	case next <= len(c.b):
		*v, c.at = binary.LittleEndian.Uint32(c.b[c.at:]), next
	default:
		*v = 0
		c.fail(ErrShort)
	}
	return c
}

// cstr is a text and a NUL; max bounds the text that is read. A NUL inside a text
// would break the packet for every reader, so an appended text ends there.
func (c *codec) cstr(s *string, max int) *codec {
	if !c.reading {
		text, _, _ := strings.Cut(*s, "\x00")
		c.b = append(append(c.b, text...), 0)
		return c
	}
	*s = ""
	if c.err != nil {
		return c
	}
	switch n := bytes.IndexByte(c.b[c.at:], 0); {
	case n < 0:
		c.fail(ErrUnterminated)
	case n > max:
		c.fail(ErrTooLong)
	default:
		*s = string(c.take(n + 1)[:n])
	}
	return c
}

// count is the u8 before a list of n items, each of which takes size bytes. A
// count read is checked against most and the bytes that remain before anything is
// allocated for it. A list to append that does not fit is a bug of the caller: no
// table of the game is that long.
func (c *codec) count(n, size, most int) int {
	if !c.reading && n > 255 {
		panic("w3gs: list over 255 entries")
	}
	v := uint8(n)
	c.u8(&v)
	if n = int(v); n > most || n*size > c.left() {
		c.fail(ErrCount)
	}
	if c.err != nil {
		return 0
	}
	return n
}

// list is n u8 · n bytes, which are copied when read.
func (c *codec) list(v *[]byte, most int) *codec {
	n := c.count(len(*v), 1, most)
	if c.reading {
		*v = append((*v)[:0], c.take(n)...)
	} else {
		c.b = append(c.b, *v...)
	}
	return c
}

// rest is the field of all bytes that are left, at most max; a decoded value aliases the payload.
func (c *codec) rest(v *[]byte, max int) *codec {
	if !c.reading {
		c.b = append(c.b, *v...)
		return c
	}
	if c.left() > max {
		c.fail(ErrTooLong)
	}
	*v = c.take(c.left())
	return c
}

// sha1 is a SHA-1 that older versions leave out.
func (c *codec) sha1(sum *[20]byte, has *bool) *codec {
	if c.reading {
		*sum, *has = [20]byte{}, c.left() > 0
	}
	switch {
	case !*has:
	case c.reading:
		copy(sum[:], c.take(len(sum)))
	default:
		c.b = append(c.b, sum[:]...)
	}
	return c
}
