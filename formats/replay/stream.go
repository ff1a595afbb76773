package replay

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// Stream reads the uncompressed data, holding only one record and one block in memory. After the first error
// all reads return zero values, and Err returns that error.
type Stream struct {
	blocks *blockReader
	want   uint32 // number of blocks in the header; 0 means until the end of the file
	limit  int64  // stream size in the header; 0 means until the end of the file
	read   int64  // uncompressed bytes so far, without padding
	buf    []byte
	at     int
	done   error  // why no more blocks follow: io.EOF or the error of a block
	err    error  // the first error of a read
	pad    []byte // padding after the end of the stream in its last block
}

// NewStream returns a Stream over uncompressed data in memory.
func NewStream(data []byte) *Stream { return &Stream{buf: data, done: io.EOF} }

// Err returns the first error of a read, or nil.
func (s *Stream) Err() error { return s.err }

// offset returns the stream offset of the next byte.
func (s *Stream) offset() int64 { return s.read - int64(s.left()) }

func (s *Stream) left() int { return len(s.buf) - s.at }

// have reads blocks until n bytes are buffered, and reports whether they are.
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
		s.done = fmt.Errorf("%w: the stream is larger than 4 GB", ErrDamaged)
		return
	}
	s.buf = s.buf[:copy(s.buf, s.buf[s.at:])]
	s.at = 0
	before := len(s.buf)
	s.buf, s.done = s.blocks.next(s.buf)
	if s.done == io.EOF && s.want > 0 {
		s.done = fmt.Errorf("%w: the file has %d of %d blocks", ErrTruncated, s.blocks.count, s.want)
	}
	fresh := int64(len(s.buf) - before)
	if s.limit > 0 && s.read+fresh > s.limit {
		cut := before + int(s.limit-s.read)
		s.pad = bytes.Clone(s.buf[cut:])
		s.buf, fresh = s.buf[:cut], s.limit-s.read
	}
	s.read += fresh
}

// end returns the error for missing bytes: that of a block, or that the stream ends inside the value named by
// what.
func (s *Stream) end(what string) error {
	if s.done != nil && s.done != io.EOF {
		return s.done
	}
	return fmt.Errorf("%w: the stream ends in %s", ErrTruncated, what)
}

// damaged sets err, unless it is already set.
func (s *Stream) damaged(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
	}
}

// Take returns the next n bytes, valid until the next call, or nil after an error. Error messages name the
// value as what.
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

// Cstr reads a NUL-terminated string of at most longest bytes.
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
