package w3gs

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// feed writes data to a stream in pieces of the given sizes, and the rest in
// one, and collects copies of the frames, as a connection's reader does.
func feed(s *Stream, data []byte, sizes ...int) (frames []Frame, err error) {
	for len(data) > 0 {
		size := len(data)
		if len(sizes) > 0 {
			size, sizes = sizes[0], sizes[1:]
		}
		piece := data[:min(size, len(data))]
		data = data[len(piece):]
		for len(piece) > 0 {
			n := copy(s.Free(), piece)
			piece = piece[n:]
			s.Commit(n)
			for {
				f, err := s.Next()
				if err != nil {
					return frames, err
				}
				if f == nil {
					break
				}
				frames = append(frames, slices.Clone(f))
			}
		}
	}
	return frames, nil
}

// clientStream is everything a client may say, one packet after another, with a
// large one in the middle.
func clientStream(t testing.TB) (data []byte, frames []Frame) {
	frames = goldenFrames(t, FromClient)
	large := Frame((&OutgoingAction{Data: bytes.Repeat([]byte{0x16}, MaxActionLen)}).AppendTo(nil))
	frames = slices.Insert(frames, len(frames)/2, large)
	for _, f := range frames {
		data = append(data, f...)
	}
	return data, frames
}

func TestStreamEverySplitInTwo(t *testing.T) {
	data, want := clientStream(t)
	for at := range len(data) + 1 {
		got, err := feed(NewStream(MaxFrame), data, at)
		if err != nil || !equalFrames(got, want) {
			t.Fatalf("split at %d: got %d frames of %d, %v", at, len(got), len(want), err)
		}
	}
}

func TestStreamByteByByte(t *testing.T) {
	data, want := clientStream(t)
	got, err := feed(NewStream(MaxFrame), data, slices.Repeat([]int{1}, len(data))...)
	if err != nil || !equalFrames(got, want) {
		t.Fatalf("got %d frames of %d, %v", len(got), len(want), err)
	}
}

func TestStreamRandomSplits(t *testing.T) {
	data, want := clientStream(t)
	data = bytes.Repeat(data, 3)
	want = slices.Repeat(want, 3)
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 0))
		sizes := make([]int, len(data))
		for i := range sizes {
			sizes[i] = 1 + random.IntN(1+random.IntN(3000))
		}
		got, err := feed(NewStream(MaxFrame), data, sizes...)
		if err != nil || !equalFrames(got, want) {
			t.Fatalf("seed %d: got %d frames of %d, %v", seed, len(got), len(want), err)
		}
	}
}

// A bad header is found behind good packets, and found again when asked again.
func TestStreamError(t *testing.T) {
	for _, tt := range []struct {
		name string
		tail []byte
		want error
	}{
		{"magic", []byte{0xF8, 0x02, 8, 0}, ErrMagic},
		{"length", []byte{0xF7, 0x46, 3, 0}, ErrLength},
		{"too long", []byte{0xF7, 0x46, 0x00, 0x10}, ErrTooLong},
	} {
		data := slices.Concat([]byte{0xF7, 0x23, 4, 0}, tt.tail)
		for at := range data {
			s := NewStream(1024)
			got, err := feed(s, data, at)
			var e *DecodeError
			if len(got) != 1 || !errors.As(err, &e) || !errors.Is(err, tt.want) {
				t.Fatalf("%s, split at %d: got %d frames, %v", tt.name, at, len(got), err)
			}
			if _, again := s.Next(); !errors.Is(again, tt.want) {
				t.Errorf("%s: then %v", tt.name, again)
			}
		}
	}
}

// Frames lie in the stream's own buffer.
func TestStreamDoesNotCopy(t *testing.T) {
	s := NewStream(MaxFrame)
	n := copy(s.Free(), []byte{0xF7, 0x23, 4, 0, 0xF7, 0x27, 9, 0, 0, 1, 2, 3, 4})
	s.Commit(n)
	for _, at := range []int{0, 4} {
		f, err := s.Next()
		if err != nil || unsafe.SliceData(f) != &s.buf[at] {
			t.Errorf("byte %d: got % X, %v", at, []byte(f), err)
		}
	}
	data := (&Keepalive{}).AppendTo(nil)
	if n := testing.AllocsPerRun(1000, func() {
		s.Commit(copy(s.Free(), data))
		if f, err := s.Next(); f == nil || err != nil {
			t.Fatal(f, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for a packet", n)
	}
}

// A connection costs 1 KiB until it sends a large packet, and again when that
// has passed.
func TestStreamMemory(t *testing.T) {
	s := NewStream(MaxFrame)
	small := (&Keepalive{}).AppendTo(nil)
	for range 1000 {
		if _, err := feed(s, small); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.buf) != 1024 {
		t.Errorf("small packets: the buffer is %d bytes, want 1024", len(s.buf))
	}
	large := (&Raw{ID: OpMapQuery, Body: make([]byte, MaxFrame-HeaderSize)}).AppendTo(nil)
	frames, err := feed(s, large)
	if err != nil || len(frames) != 1 || len(frames[0]) != MaxFrame {
		t.Fatalf("got %d frames, %v", len(frames), err)
	}
	if len(s.buf) > MaxFrame+1024 {
		t.Errorf("one large packet: the buffer is %d bytes", len(s.buf))
	}
	if _, err := feed(s, small); err != nil {
		t.Fatal(err)
	}
	if len(s.buf) != 1024 {
		t.Errorf("after it: the buffer is %d bytes, want 1024", len(s.buf))
	}
}

// The length that a header claims costs nothing before its bytes come.
func TestStreamGrowsWithBytes(t *testing.T) {
	s := NewStream(MaxFrame)
	if _, err := feed(s, []byte{0xF7, 0x59, 0xFF, 0xFF}); err != nil {
		t.Fatal(err)
	}
	for sent := 4; sent < 60000; sent += 100 {
		if _, err := feed(s, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		if got := s.w - s.r; got != sent+100 {
			t.Fatalf("%d bytes are buffered, want %d", got, sent+100)
		}
		if len(s.buf) > 2*(sent+100)+1024 {
			t.Fatalf("%d bytes came and the buffer is %d", sent+100, len(s.buf))
		}
	}
}

func equalFrames(a, b []Frame) bool {
	return slices.EqualFunc(a, b, func(f, g Frame) bool { return bytes.Equal(f, g) })
}
