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
	// maxFindings limits the findings about one file.
	maxFindings = 50
	// maxTime limits the game time, so that sums of times cannot overflow.
	maxTime = 10000 * time.Hour
)

// Finding is a remark about a file. A fault violates the format; other findings are unusual but occur in real
// files.
type Finding struct {
	Fault bool
	Text  string
}

// Reader reads a replay record by record. It holds only one record and one block in memory, whatever sizes
// the file claims. It is not safe for concurrent use.
type Reader struct {
	Header
	Start    Start
	Findings []Finding

	src       *bufio.Reader
	stream    Stream
	rec       Record
	time      time.Duration // sum of all turns read so far
	metaBytes int64
	trailing  int64
	signed    bool
	noted     map[string]bool // kinds of findings that were already reported by noteOnce
}

// NewReader reads the header and the start of the game from src. Defects that do not prevent reading become
// Findings.
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

// note adds a finding, unless the limit is reached.
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

// noteOnce adds a finding, unless one of the same kind was added before.
func (r *Reader) noteOnce(fault bool, kind, format string, args ...any) {
	if !r.noted[kind] {
		r.noted[kind] = true
		r.note(fault, format, args...)
	}
}

// Records iterates over the records; each is valid until the next one is read. If an error ends the stream
// early, it is yielded last with a nil record.
func (r *Reader) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for {
			switch rec, err := r.next(); {
			case err == io.EOF:
				r.finish()
				return
			case err != nil:
				r.note(true, "%v: the rest is not read", err)
				yield(nil, err)
				return
			case !yield(rec, nil):
				return
			}
		}
	}
}

// next reads the next record. It returns io.EOF at the regular end of the stream.
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
		return nil, rec.wrong("unknown record ID %#02x", rec.ID)
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
		return nil, rec.wrong("the game is longer than %v", maxTime)
	}
	return rec, nil
}

// onlyZeros reports whether only padding remains.
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

// finish compares the end of the file with the header and adds findings.
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

// countTrailing counts the bytes after the last block and detects a signature.
func (r *Reader) countTrailing() error {
	head, err := r.src.Peek(4)
	r.signed = string(head) == "NGIS" // "SIGN" reversed, followed by a signature of 128 bytes
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	r.trailing, err = io.Copy(io.Discard, r.src)
	r.signed = r.signed && r.trailing == 132
	return err
}
