package replay

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// Stream is the decompressed data, of which no more than a record and a block
// are in memory. After a fault it yields zeros; Err tells of the first.
type Stream struct {
	blocks *blockReader
	want   uint32 // blocks the header promises; 0: as many as there are
	limit  int64  // bytes the header promises; 0: as many as there are
	read   int64  // bytes out of the blocks, padding not counted
	buf    []byte
	at     int
	done   error  // why no more comes: io.EOF or the fault of a block
	err    error  // the first fault of the bytes taken
	pad    []byte // what follows the last byte of the stream in its block
}

// NewStream reads data that is in memory.
func NewStream(data []byte) *Stream { return &Stream{buf: data, done: io.EOF} }

// Err is the first fault.
func (s *Stream) Err() error { return s.err }

// offset is the place of the next byte in the stream.
func (s *Stream) offset() int64 { return s.read - int64(s.left()) }

func (s *Stream) left() int { return len(s.buf) - s.at }

// have reads blocks until n bytes are there, and reports whether they are.
func (s *Stream) have(n int) bool {
	for s.left() < n && s.done == nil {
		s.fill()
	}
	return s.left() >= n
}

func (s *Stream) fill() {
	if s.want > 0 && s.blocks.count >= int(s.want) || s.limit > 0 && s.read >= s.limit {
		s.done = io.EOF
		return
	}
	if s.read > math.MaxUint32 {
		s.done = fmt.Errorf("%w: a stream of more than 4 GB", ErrDamaged)
		return
	}
	s.buf = s.buf[:copy(s.buf, s.buf[s.at:])]
	s.at = 0
	before := len(s.buf)
	s.buf, s.done = s.blocks.next(s.buf)
	if s.done == io.EOF && s.want > 0 {
		s.done = fmt.Errorf("%w: %d of %d blocks are there", ErrTruncated, s.blocks.count, s.want)
	}
	fresh := int64(len(s.buf) - before)
	if s.limit > 0 && s.read+fresh > s.limit {
		cut := before + int(s.limit-s.read)
		s.pad = bytes.Clone(s.buf[cut:])
		s.buf, fresh = s.buf[:cut], s.limit-s.read
	}
	s.read += fresh
}

// end is the error for bytes that are missing: the fault of a block, or that the
// stream ends inside the value being read.
func (s *Stream) end(what string) error {
	if s.done != nil && s.done != io.EOF {
		return s.done
	}
	return fmt.Errorf("%w: the stream ends in %s", ErrTruncated, what)
}

// damaged sets err, unless there was a fault before.
func (s *Stream) damaged(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
	}
}

// Take returns the next n bytes, valid until the next call; nil after a fault. what
// names them in err.
func (s *Stream) Take(n int, what string) []byte {
	if s.err == nil && !s.have(n) {
		s.err = s.end(what)
	}
	if s.err != nil {
		return nil
	}
	s.at += n
	return s.buf[s.at-n : s.at : s.at]
}

// U16 and U32 read little-endian numbers.
func (s *Stream) U16(what string) uint16 { return uint16(s.number(2, what)) }
func (s *Stream) U32(what string) uint32 { return s.number(4, what) }
func (s *Stream) u8(what string) byte    { return byte(s.number(1, what)) }

func (s *Stream) number(size int, what string) (v uint32) {
	for i, b := range s.Take(size, what) {
		v |= uint32(b) << (8 * i)
	}
	return v
}

// Cstr reads up to a NUL; longest bounds the text without it.
func (s *Stream) Cstr(longest int, what string) string {
	for n := 0; n <= longest && s.err == nil; n++ {
		if s.have(n+1) && s.buf[s.at+n] != 0 {
			continue
		}
		b := s.Take(n+1, what)
		return string(b[:max(0, len(b)-1)])
	}
	s.damaged("%s is longer than %d bytes", what, longest)
	return ""
}
