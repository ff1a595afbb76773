package bncs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// cursor reads a body field by field and remembers the first fault. Bytes behind
// the last field are not one: servers append to packets.
type cursor struct {
	id  ID
	b   []byte
	err error
}

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = fmt.Errorf("frame %v: %w", c.id, err)
	}
}

func (c *cursor) bytes(n int) []byte {
	if c.err == nil && len(c.b) < n {
		c.fail(errShort)
	}
	if c.err != nil {
		return nil
	}
	b := c.b[:n:n]
	c.b = c.b[n:]
	return b
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

func (c *cursor) str() string {
	n := bytes.IndexByte(c.b, 0)
	if n < 0 {
		c.fail(errUnterminated)
	}
	if c.err != nil {
		return ""
	}
	s := string(c.b[:n])
	c.b = c.b[n+1:]
	return s
}

func appendU16(dst []byte, v uint16) []byte { return binary.LittleEndian.AppendUint16(dst, v) }
func appendU32(dst []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(dst, v) }

// appendStr ends the text at a NUL inside it, which would break the packet.
func appendStr(dst []byte, s string) []byte {
	s, _, _ = strings.Cut(s, "\x00")
	return append(append(dst, s...), 0)
}
