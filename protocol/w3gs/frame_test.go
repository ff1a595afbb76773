package w3gs

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"
)

func TestNextRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		buf    []byte
		want   error
		offset int
	}{
		{"magic of a realm", []byte{0xFF}, ErrMagic, -4},
		{"zero", []byte{0, 0, 0, 0}, ErrMagic, -4},
		{"length 3", []byte{0xF7, 0x01, 3, 0}, ErrLength, -2},
		{"length 0", []byte{0xF7, 0x01, 0, 0, 0xF7}, ErrLength, -2},
		{"length 101 of 100", []byte{0xF7, 0x01, 101, 0}, ErrTooLong, -2},
		{"length 65535 of 100", []byte{0xF7, 0x01, 0xFF, 0xFF}, ErrTooLong, -2},
	} {
		f, rest, err := Next(tt.buf, 100)
		var e *DecodeError
		if !errors.As(err, &e) || !errors.Is(err, tt.want) || e.Offset != tt.offset {
			t.Errorf("%s: got %v, want %v at byte %d", tt.name, err, tt.want, tt.offset)
		}
		if f != nil || len(rest) != len(tt.buf) {
			t.Errorf("%s: bytes were taken", tt.name)
		}
	}
}

func TestNextWaits(t *testing.T) {
	for _, buf := range [][]byte{nil, {0xF7}, {0xF7, 0x01}, {0xF7, 0x01, 3}, {0xF7, 0x01, 8, 0, 1, 2, 3}} {
		if f, _, err := Next(buf, 100); f != nil || err != nil {
			t.Errorf("% X: got frame % X, %v", buf, []byte(f), err)
		}
	}
}

// The bounds themselves are allowed: 4 bytes, and exactly max.
func TestNextBounds(t *testing.T) {
	if f, rest, err := Next([]byte{0xF7, 0x0A, 4, 0, 0xF7}, 4); err != nil || len(f) != 4 || len(rest) != 1 {
		t.Errorf("4 bytes: got % X, %v", []byte(f), err)
	}
	whole := append([]byte{0xF7, 0x59, 0xFF, 0xFF}, make([]byte, MaxFrame-HeaderSize)...)
	if f, rest, err := Next(whole, MaxFrame); err != nil || len(f) != MaxFrame || len(rest) != 0 {
		t.Errorf("65535 bytes: got %d, %v", len(f), err)
	}
}

// A frame is a window on the caller's bytes, closed at its end so that an
// append to it cannot reach the next packet.
func TestNextDoesNotCopy(t *testing.T) {
	buf := []byte{0xF7, 0x08, 5, 0, 3, 0xF7, 0x0A, 4, 0}
	f, rest, err := Next(buf, MaxFrame)
	if err != nil {
		t.Fatal(err)
	}
	if unsafe.SliceData(f) != unsafe.SliceData(buf) || unsafe.SliceData(f.Body()) != &buf[4] || unsafe.SliceData(rest) != &buf[5] {
		t.Error("the frame does not alias the buffer")
	}
	if cap(f) != len(f) || cap(f.Body()) != len(f.Body()) {
		t.Error("the frame has room to append into the next packet")
	}
	if n := testing.AllocsPerRun(100, func() { Next(buf, MaxFrame) }); n != 0 {
		t.Errorf("%v allocations for a frame", n)
	}
}

func TestParseDatagram(t *testing.T) {
	for _, tt := range []struct {
		name string
		give []byte
		want error
	}{
		{"whole", []byte{0xF7, 0x33, 8, 0, 1, 0, 0, 0}, nil},
		{"empty", nil, ErrShort},
		{"half a header", []byte{0xF7, 0x33}, ErrShort},
		{"cut short", []byte{0xF7, 0x33, 8, 0, 1, 0, 0}, ErrShort},
		{"two packets", []byte{0xF7, 0x0A, 4, 0, 0xF7, 0x0A, 4, 0}, ErrTrailing},
		{"a realm's probe", []byte("\x05\x00\x00\x00tenb"), ErrMagic},
	} {
		f, err := ParseDatagram(tt.give)
		if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
		if tt.want == nil && !bytes.Equal(f, tt.give) {
			t.Errorf("%s: got % X", tt.name, []byte(f))
		}
	}
}

func TestDecodeWrongSide(t *testing.T) {
	for _, tt := range []struct {
		give Frame
		dir  Dir
	}{
		{Frame{0xF7, 0x0A, 4, 0}, FromClient}, // a client does not start countdowns
		{Frame{0xF7, 0x23, 4, 0}, FromHost},
		{Frame{0xF7, 0x2F, 4, 0}, FromClient}, // searches come over UDP
		{Frame{0xF7, 0xEE, 4, 0}, FromClient},
		{Frame{0xF7, 0x0A, 4, 0}, 0},
		{Frame{0xF7, 0x0A, 4, 0}, FromHost | Peer}, // one side at a time
	} {
		if p, err := Decode(tt.give, tt.dir); !errors.Is(err, ErrUnknownOp) || p != nil {
			t.Errorf("% X from side %d: got %v, %v", []byte(tt.give), tt.dir, p, err)
		}
	}
}

func TestOpString(t *testing.T) {
	if got := OpSlotInfo.String(); got != "SLOTINFO (0x09)" {
		t.Errorf("got %q", got)
	}
	if got := Op(0xEE).String(); got != "UNKNOWN (0xEE)" {
		t.Errorf("got %q", got)
	}
	err := &DecodeError{Op: OpSlotInfo, Offset: 3, Err: ErrCount}
	if got := err.Error(); got != "decode SLOTINFO (0x09) at byte 3: count exceeds the remaining bytes" {
		t.Errorf("got %q", got)
	}
}

// A packet that does not fit its length field must not go out with a wrong one.
func TestAppendOverLongPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("65536 bytes were appended")
		}
	}()
	(&Raw{ID: OpMapQuery, Body: make([]byte, MaxFrame-HeaderSize+1)}).AppendTo(nil)
}
