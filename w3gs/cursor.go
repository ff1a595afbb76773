package w3gs

import (
	"bytes"
	"encoding/binary"
)

// cursor reads a payload field by field and remembers the first fault.
type cursor struct {
	op  Op
	b   []byte
	at  int
	err error
}

func read(op Op, body []byte) cursor { return cursor{op: op, b: body} }

func (c *cursor) fail(err error) { c.failAt(c.at, err) }

func (c *cursor) failAt(offset int, err error) {
	if c.err == nil {
		c.err = &DecodeError{Op: c.op, Offset: offset, Err: err}
	}
}

func (c *cursor) left() int { return len(c.b) - c.at }

func (c *cursor) bytes(n int) []byte {
	if c.err != nil {
		return nil
	}
	if c.left() < n {
		c.fail(ErrShort)
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at : c.at]
}

func (c *cursor) rest() []byte { return c.bytes(c.left()) }

func (c *cursor) u8() uint8 {
	if b := c.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) u16() uint16 {
	if b := c.bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// cstr reads up to and including a NUL; max is the text without it.
func (c *cursor) cstr(max int) string {
	if c.err != nil {
		return ""
	}
	n := bytes.IndexByte(c.b[c.at:], 0)
	switch {
	case n < 0:
		c.fail(ErrUnterminated)
		return ""
	case n > max:
		c.fail(ErrTooLong)
		return ""
	}
	s := string(c.b[c.at : c.at+n])
	c.at += n + 1
	return s
}

// count checks a count against the bytes that remain, each item of which is
// size bytes, before anything is allocated for it.
func (c *cursor) count(n, size int) int {
	if c.err == nil && n*size > c.left() {
		c.fail(ErrCount)
	}
	if c.err != nil {
		return 0
	}
	return n
}

func (c *cursor) fixed(got, want uint32) {
	if c.err == nil && got != want {
		c.fail(ErrValue)
	}
}

// done returns the first fault, or that bytes are left over.
func (c *cursor) done() error {
	if c.err == nil && c.left() > 0 {
		c.fail(ErrTrailing)
	}
	return c.err
}

// appendCount writes the u8 before a list. A list that does not fit is a bug of
// the caller: no table of the game is that long.
func appendCount(dst []byte, n int) []byte {
	if n > 255 {
		panic("w3gs: list over 255 entries")
	}
	return append(dst, byte(n))
}

func appendU16(dst []byte, v uint16) []byte { return binary.LittleEndian.AppendUint16(dst, v) }
func appendU32(dst []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(dst, v) }

// appendCstr writes s and a NUL. A NUL inside s would break the packet for
// every reader, so the text ends there.
func appendCstr(dst []byte, s string) []byte {
	for i := range len(s) {
		if s[i] == 0 {
			s = s[:i]
			break
		}
	}
	return append(append(dst, s...), 0)
}
