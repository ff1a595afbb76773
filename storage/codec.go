package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"time"
)

// codec walks the fields of a record once, to write them or to read them, so
// that both directions cannot part ways. The form, little-endian:
//
//	text, bytes   uvarint length, then the bytes
//	integers      uvarint; int64 zig-zag
//	bool, u8      one byte
//	time          zig-zag microseconds since 1970, zero for the zero time
//	duration      zig-zag nanoseconds
//	address       u8 length (0, 4 or 16), then the bytes
//	part          uvarint length, then its fields
//	list          uvarint count, then each element as a part
//
// Fields are only ever added at the end of a record or part: what an older
// program did not write reads as zero, what a newer one added is skipped.
type codec struct {
	buf     []byte // the rest to read, or what is written so far
	reading bool
	err     error
}

var errTruncated = errors.New("a field is cut short")

func (c *codec) more() bool { return c.err == nil && len(c.buf) > 0 }

func (c *codec) fail(what string) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %w", what, errTruncated)
	}
	c.buf = nil
}

func (c *codec) uint(v *uint64) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, *v)
		return
	}
	if !c.more() {
		return
	}
	n, size := binary.Uvarint(c.buf)
	if size <= 0 {
		c.fail("number")
		return
	}
	*v, c.buf = n, c.buf[size:]
}

func (c *codec) int64(v *int64) {
	u := uint64(*v<<1) ^ uint64(*v>>63)
	c.uint(&u)
	*v = int64(u>>1) ^ -int64(u&1)
}

func (c *codec) u32(v *uint32) {
	u := uint64(*v)
	c.uint(&u)
	if u > math.MaxUint32 {
		c.fail("32-bit number")
		return
	}
	*v = uint32(u)
}

func (c *codec) int(v *int) {
	n := int64(*v)
	c.int64(&n)
	*v = int(n)
}

func (c *codec) u8(v *uint8) {
	if !c.reading {
		c.buf = append(c.buf, *v)
		return
	}
	if !c.more() {
		return
	}
	*v, c.buf = c.buf[0], c.buf[1:]
}

func (c *codec) bool(v *bool) {
	var b uint8
	if *v {
		b = 1
	}
	c.u8(&b)
	*v = b != 0
}

func (c *codec) time(t *time.Time) {
	var us int64
	if !c.reading && !t.IsZero() {
		us = t.UnixMicro()
	}
	c.int64(&us)
	if c.reading && us != 0 {
		*t = time.UnixMicro(us).UTC()
	}
}

func (c *codec) duration(d *time.Duration) {
	n := int64(*d)
	c.int64(&n)
	*d = time.Duration(n)
}

func (c *codec) fixed(b []byte) {
	if !c.reading {
		c.buf = append(c.buf, b...)
		return
	}
	if !c.more() {
		return
	}
	if len(c.buf) < len(b) {
		c.fail("key")
		return
	}
	c.buf = c.buf[copy(b, c.buf):]
}

// span reads the bytes of one text, byte string or list element.
func (c *codec) span() []byte {
	var n uint64
	c.uint(&n)
	if c.err != nil || n > uint64(len(c.buf)) {
		c.fail("text")
		return nil
	}
	b := c.buf[:n]
	c.buf = c.buf[n:]
	return b
}

func (c *codec) bytes(b *[]byte) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, uint64(len(*b)))
		c.buf = append(c.buf, *b...)
		return
	}
	if s := c.span(); len(s) > 0 {
		*b = append([]byte(nil), s...)
	}
}

func (c *codec) addr(a *netip.Addr) {
	if !c.reading {
		switch {
		case !a.IsValid():
			c.buf = append(c.buf, 0)
		case a.Is4() || a.Is4In6():
			four := a.Unmap().As4()
			c.buf = append(append(c.buf, 4), four[:]...)
		default:
			sixteen := a.As16()
			c.buf = append(append(c.buf, 16), sixteen[:]...)
		}
		return
	}
	*a, _ = netip.AddrFromSlice(c.span())
}

// text is a function, not a method, to serve string types as well.
func text[S ~string](c *codec, s *S) {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, uint64(len(*s)))
		c.buf = append(c.buf, *s...)
		return
	}
	if b := c.span(); len(b) > 0 {
		*s = S(b)
	}
}

// part walks a struct that carries its own length, so that it can grow.
func part[E any](c *codec, e *E, fields func(*E, *codec)) {
	if !c.reading {
		el := codec{}
		fields(e, &el)
		c.bytes(&el.buf)
		return
	}
	if !c.more() {
		return
	}
	el := codec{buf: c.span(), reading: true}
	fields(e, &el)
	if c.err == nil && el.err != nil {
		c.err, c.buf = el.err, nil
	}
}

// list walks a slice, each element a part.
func list[E any](c *codec, elems *[]E, fields func(*E, *codec)) {
	n := uint64(len(*elems))
	c.uint(&n)
	if !c.reading {
		for i := range *elems {
			part(c, &(*elems)[i], fields)
		}
		return
	}
	if n > uint64(len(c.buf)) { // an element takes a byte at least
		c.fail("list")
		return
	}
	for range n {
		var e E
		part(c, &e, fields)
		if c.err != nil {
			return
		}
		*elems = append(*elems, e)
	}
}
