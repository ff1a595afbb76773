package w3gs

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// codec reads or appends the fields of a packet in wire order, so that one list of fields serves both
// directions. When reading, it keeps the first error and yields zero values for all later fields.
type codec struct {
	op      Op
	reading bool
	b       []byte // when reading, the payload; when writing, the destination buffer
	at      int    // when reading, the offset of the next byte; when writing, the start of the frame
	err     error
}

// read returns a codec that reads the payload b.
func read(b []byte, op Op) *codec { return &codec{op: op, reading: true, b: b} }

// begin returns a codec that appends a frame to b. The length field in the header is written by end.
func begin(b []byte, op Op) *codec {
	return &codec{op: op, at: len(b), b: append(b, Magic, byte(op), 0, 0)}
}

// end writes the frame's length into its header and returns the buffer.
func (c *codec) end() []byte {
	n := len(c.b) - c.at
	if n > MaxFrame {
		tooLong(c.op)
	}
	binary.LittleEndian.PutUint16(c.b[c.at+2:], uint16(n))
	return c.b
}

// tooLong panics: every variable-length field is bounded before encoding, so an oversized frame is a bug in
// the caller.
//
//go:noinline
func tooLong(op Op) { panic("w3gs: packet over 65535 bytes: " + op.String()) }

// done returns the first error, or ErrTrailing if payload bytes remain.
func (c *codec) done() error {
	if c.left() > 0 {
		c.fail(ErrTrailing)
	}
	return c.err
}

// failAt records the first error and discards the rest of the payload. It does nothing when writing, because
// the caller is responsible for the values it encodes.
//
//go:noinline
func (c *codec) failAt(offset int, err error) {
	if c.reading && c.err == nil {
		c.err = &DecodeError{Op: c.op, Offset: offset, Err: err}
		c.b = c.b[:c.at]
	}
}

func (c *codec) fail(err error) { c.failAt(c.at, err) }

// left returns the number of payload bytes not yet read.
func (c *codec) left() int { return len(c.b) - c.at }

// take reads n bytes that alias the payload. It returns nil and fails if fewer remain.
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

// cstr is a NUL-terminated string of at most max bytes; max is checked only when reading. When writing, the
// text is cut at its first NUL, which would otherwise shift every following field.
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

// count is the u8 length of a list whose n items take size bytes each. When reading, it is checked against
// most and the remaining bytes before the caller allocates. When writing more than 255 items it panics,
// because no list in the game is that long.
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

// list is a byte list: n u8 · n bytes. Read values are copied.
func (c *codec) list(v *[]byte, most int) *codec {
	n := c.count(len(*v), 1, most)
	if c.reading {
		*v = append((*v)[:0], c.take(n)...)
	} else {
		c.b = append(c.b, *v...)
	}
	return c
}

// rest is a field that takes all remaining bytes, at most max. A read value aliases the payload.
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

// sha1 is an optional trailing SHA-1; has reports its presence. Versions before 1.23 omit it.
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
