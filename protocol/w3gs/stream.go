package w3gs

// streamStart is the initial buffer size in bytes. Client packets take tens of bytes, so thousands of streams
// should not reserve space for the largest packet.
const streamStart = 1 << 10

// Stream splits the bytes of a connection into frames. Its single buffer grows only with received bytes and
// never much beyond the packet limit. To use it, read into Free, Commit the bytes, then call Next until it
// returns nil. It is not safe for concurrent use.
type Stream struct {
	buf  []byte
	r, w int
	max  int
}

// NewStream returns a stream that refuses packets over max bytes.
func NewStream(max int) *Stream { return &Stream{max: max} }

// Free returns non-empty buffer space for the next read. It invalidates all frames that Next has returned.
func (s *Stream) Free() []byte {
	if s.r == s.w {
		s.r, s.w = 0, 0
		if len(s.buf) > 4*streamStart {
			s.buf = nil // release the memory of a rare large packet
		}
	}
	if s.buf == nil {
		s.buf = make([]byte, min(streamStart, max(s.max, HeaderSize)))
	}
	if s.w == len(s.buf) {
		s.makeRoom()
	}
	return s.buf[s.w:]
}

// Commit marks the first n bytes of Free as received.
func (s *Stream) Commit(n int) { s.w += n }

// Next returns the next complete packet, or nil if more bytes are needed. The frame aliases the buffer until
// the next call to Free. Errors are final: the stream does not resynchronise after bad bytes.
func (s *Stream) Next() (Frame, error) {
	f, _, err := Next(s.buf[s.r:s.w], s.max)
	s.r += len(f)
	return f, err
}

// room makes free space: it moves the unread bytes to the front or, if that gains nothing, doubles the
// buffer. The size follows the bytes received, not the length that a header claims.
func (s *Stream) makeRoom() {
	if s.r > 0 {
		s.w = copy(s.buf, s.buf[s.r:s.w])
		s.r = 0
		return
	}
	size := min(2*len(s.buf), s.max+streamStart)
	grown := make([]byte, max(size, len(s.buf)+HeaderSize)) // grow even if the limit is already reached
	copy(grown, s.buf[:s.w])
	s.buf = grown
}
