package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
)

const (
	// maxFindings bounds the findings about one file.
	maxFindings = 50
	// maxTime bounds the time of a game, so that sums of times cannot overflow.
	maxTime = 10000 * time.Hour
)

// Finding is a remark about a file. A fault violates the format; other findings are
// unusual, but occur in real files.
type Finding struct {
	Fault bool
	Text  string
}

// Reader reads a replay record by record. It holds no more than a record and a block
// in memory, whatever sizes the file claims.
type Reader struct {
	Header
	Start    Start
	Findings []Finding

	src       *bufio.Reader
	stream    Stream
	rec       Record
	time      time.Duration // of all turns read so far
	metaBytes int64
	trailing  int64
	signed    bool
	noted     map[string]bool // kinds of findings that are reported only once
}

// NewReader reads the header and the start of the game.
func NewReader(src io.Reader) (*Reader, error) {
	r := &Reader{src: bufio.NewReaderSize(src, 1<<16), noted: map[string]bool{}}
	h, stream, fault, err := openStream(r.src)
	if err != nil {
		return nil, err
	}
	r.Header, r.stream = h, stream
	if fault != "" {
		r.note(true, "%s", fault)
	}
	if h.Prefix > 0 {
		r.note(false, "%d bytes stand before the replay", h.Prefix)
	}
	if h.unfinished() {
		r.note(true, "the header says that the file is not finished; w3host replay repair can finish it")
	}
	if err := r.readStart(); err != nil {
		return nil, err
	}
	return r, nil
}

// note adds a finding, up to a bound.
func (r *Reader) note(fault bool, format string, args ...any) {
	switch n := len(r.Findings); {
	case n < maxFindings:
		r.Findings = append(r.Findings, Finding{fault, fmt.Sprintf(format, args...)})
	case n == maxFindings:
		r.Findings = append(r.Findings, Finding{fault, "there are more findings about this file"})
	case fault:
		r.Findings[maxFindings].Fault = true
	}
}

// noteOnce adds a finding unless one of this kind was added.
func (r *Reader) noteOnce(fault bool, kind, format string, args ...any) {
	if !r.noted[kind] {
		r.noted[kind] = true
		r.note(fault, format, args...)
	}
}

// Records reads the records, each of which is valid until the following one. A fault
// that ends them before the proper end is yielded last, with a nil record.
func (r *Reader) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for {
			switch rec, err := r.next(); {
			case err == io.EOF:
				r.finish()
				return
			case err != nil:
				r.note(true, "%v: what follows is not read", err)
				yield(nil, err)
				return
			case !yield(rec, nil):
				return
			}
		}
	}
}

// next reads a record. io.EOF is a proper end.
func (r *Reader) next() (*Record, error) {
	s := &r.stream
	if !s.have(1) {
		if s.done == io.EOF && s.limit > 0 && s.read < s.limit {
			return nil, fmt.Errorf("%w: the stream has %d of %d bytes", ErrTruncated, s.read, s.limit)
		}
		return nil, s.done
	}
	r.rec = Record{ID: s.buf[s.at], Time: r.time, Offset: s.offset()}
	rec := &r.rec
	if rec.Kind = r.kindOf(rec.ID); rec.Kind == 0 {
		if rec.ID == 0 && s.limit == 0 && r.onlyZeros() {
			return nil, io.EOF
		}
		return nil, rec.wrong("there is no record with the ID %#02x", rec.ID)
	}
	head := bodies[rec.Kind].head
	if !s.have(1 + head) {
		return nil, s.end("a record")
	}
	n := rec.Kind.length(s.buf[s.at+1 : s.at+1+head])
	b := s.Take(1+n, "a record")
	if b == nil {
		return nil, s.err
	}
	rec.Body = b[1:]
	if err := rec.decode(); err != nil {
		return nil, err
	}
	if r.time += rec.Increment; r.time > maxTime {
		return nil, rec.wrong("a game of more than %v", maxTime)
	}
	return rec, nil
}

// onlyZeros reports whether only padding is left.
func (r *Reader) onlyZeros() bool {
	s := &r.stream
	for s.have(1) {
		if !zero(s.buf[s.at:]) {
			return false
		}
		s.at = len(s.buf)
	}
	return s.done == io.EOF
}

func zero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// finish compares the end of the file with the header.
func (r *Reader) finish() {
	s := &r.stream
	if !zero(s.pad) {
		r.note(true, "the last block is not padded with zeros")
	}
	if s.limit > 0 && s.blocks.count < int(s.want) {
		r.note(true, "the stream of %d bytes ends in block %d of %d", s.limit, s.blocks.count, s.want)
		return
	}
	size := int64(r.Length) + s.blocks.bytes
	if err := r.countTrailing(); err != nil {
		r.note(true, "%v", err)
	}
	if says := int64(r.FileSize); !r.unfinished() && says != size && says != size+r.trailing {
		r.note(true, "the header says %d bytes, the file has %d", says, size+r.trailing)
	}
	if r.Duration > r.time {
		r.note(false, "the header says %v, all turns together take %v", r.Duration, r.time)
	}
	switch {
	case r.signed:
		r.note(false, "an official replay: signed, and without slots")
	case r.trailing > 0:
		r.note(false, "%d bytes follow the replay", r.trailing)
	}
}

// countTrailing reads the bytes after the last block.
func (r *Reader) countTrailing() error {
	head, err := r.src.Peek(4)
	r.signed = string(head) == "NGIS" // "SIGN" backwards, then 128 bytes of signature
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	r.trailing, err = io.Copy(io.Discard, r.src)
	r.signed = r.signed && r.trailing == 132
	return err
}
