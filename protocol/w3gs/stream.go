package w3gs

// streamStart is the first buffer of a stream. Client packets are tens of
// bytes; a thousand games must not pay for the largest one.
const streamStart = 1 << 10

// Stream turns the bytes of a connection into frames, however they were split.
// It holds one buffer that grows only as far as a header asks and the limit
// allows. Use: read into Free, Commit the bytes, then Next until nil.
type Stream struct {
	buf  []byte
	r, w int
	max  int
}

// NewStream makes a stream that refuses packets over max bytes.
func NewStream(max int) *Stream { return &Stream{max: max} }

// Free returns space for the next read; it is never empty. The frames handed
// out by Next are invalid from here on.
func (s *Stream) Free() []byte {
	if s.r == s.w {
		s.r, s.w = 0, 0
		if len(s.buf) > 4*streamStart {
			s.buf = nil // a rare large packet has passed
		}
	}
	if s.buf == nil {
		s.buf = make([]byte, min(streamStart, max(s.max, HeaderSize)))
	}
	if s.w == len(s.buf) {
		s.room()
	}
	return s.buf[s.w:]
}

// Commit says that n bytes were read into Free.
func (s *Stream) Commit(n int) { s.w += n }

// Next returns the next whole packet, or nil when more bytes are needed. The
// frame aliases the stream's buffer until the next call of Free. An error is
// final: the stream does not look for the next packet behind bad bytes.
func (s *Stream) Next() (Frame, error) {
	f, _, err := Next(s.buf[s.r:s.w], s.max)
	s.r += len(f)
	return f, err
}

// room moves the waiting bytes to the front and, where that gains nothing, doubles
// the buffer. It grows with the bytes that came, not with the length that a
// header claims, and a buffer that holds the longest packet allowed is enough.
func (s *Stream) room() {
	if s.r > 0 {
		s.w = copy(s.buf, s.buf[s.r:s.w])
		s.r = 0
		return
	}
	size := min(2*len(s.buf), s.max+streamStart)
	grown := make([]byte, max(size, len(s.buf)+HeaderSize)) // longer, whatever the limit is
	copy(grown, s.buf[:s.w])
	s.buf = grown
}
