package w3map

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
)

var errShort = errors.New("ends too early")

// cursor reads little-endian fields. After the first truncated field it sets err and returns zeros.
type cursor struct {
	data []byte
	at   int
	err  error
}

func (c *cursor) left() int { return len(c.data) - c.at }

func (c *cursor) take(n int) []byte {
	if c.err != nil || n > c.left() {
		c.err = errShort
		return nil
	}
	c.at += n
	return c.data[c.at-n : c.at]
}

func (c *cursor) skip(n int) { c.take(n) }

func (c *cursor) u32() uint32 {
	b := c.take(4)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

func (c *cursor) f32() float32 { return math.Float32frombits(c.u32()) }

// cstr reads a NUL-terminated string.
func (c *cursor) cstr() string {
	if c.err != nil {
		return ""
	}
	n := bytes.IndexByte(c.data[c.at:], 0)
	if n < 0 {
		c.err = errShort
		return ""
	}
	s := string(c.data[c.at : c.at+n])
	c.at += n + 1
	return s
}

// skipIf skips n bytes, and skipStringsIf n strings, if the file's format has them.
func (c *cursor) skipIf(there bool, n int) {
	if there {
		c.skip(n)
	}
}

func (c *cursor) skipStringsIf(there bool, n int) {
	for ; there && n > 0; n-- {
		c.cstr()
	}
}
