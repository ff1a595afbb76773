package w3gs

import (
	"bytes"
	"errors"
	"testing"
)

// Each fuzz target of a side takes an opcode and a payload. A payload either
// fails with a DecodeError or is a packet that says the same after it was
// appended and decoded again, and is not longer than what came.

func FuzzFromClient(f *testing.F) { fuzzSide(f, FromClient) }
func FuzzFromHost(f *testing.F)   { fuzzSide(f, FromHost) }
func FuzzPeer(f *testing.F)       { fuzzSide(f, Peer) }
func FuzzLAN(f *testing.F)        { fuzzSide(f, LAN) }

func fuzzSide(f *testing.F, dir Dir) {
	for _, frame := range goldenFrames(f, dir) {
		f.Add(byte(frame.Op()), frame.Body())
	}
	f.Fuzz(func(t *testing.T, op byte, body []byte) {
		if len(body) > MaxFrame-HeaderSize {
			return
		}
		p := New(Op(op), dir)
		if p == nil {
			return
		}
		if err := p.Decode(body); err != nil {
			wantFault(t, err, Op(op), len(body))
			return
		}
		frame := Frame(p.AppendTo(nil))
		if len(frame.Body()) > len(body) {
			t.Errorf("%d bytes became %d", len(body), len(frame.Body()))
		}
		again := New(Op(op), dir)
		if err := again.Decode(frame.Body()); err != nil {
			t.Fatalf("what was decoded cannot be decoded again: %v", err)
		}
		if second := again.AppendTo(nil); !bytes.Equal(second, frame) {
			t.Errorf("first  % X\nsecond % X", []byte(frame), second)
		}
	})
}

func FuzzStatString(f *testing.F) {
	for _, frame := range goldenFrames(f, LAN) {
		var info GameInfo
		if frame.Op() == OpGameInfo && info.Decode(frame.Body()) == nil {
			f.Add(info.Stat.AppendTo(nil))
		}
	}
	f.Fuzz(func(t *testing.T, encoded []byte) {
		var s StatString
		if err := s.Decode(encoded); err != nil {
			wantFault(t, err, OpGameInfo, len(encoded))
			return
		}
		var again StatString
		if err := again.Decode(s.AppendTo(nil)); err != nil || again != s {
			t.Errorf("%+v became %+v, %v", s, again, err)
		}
		// The encoding of plain bytes is the only one that decodes to them,
		// apart from the mask bits that stand for no byte.
		plain, err := DecodeStat(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodeStat(AppendStatEncoded(nil, plain)); err != nil || !bytes.Equal(back, plain) {
			t.Errorf("% X became % X, %v", plain, back, err)
		}
	})
}

// FuzzFraming compares a stream that gets its bytes in pieces with one look at
// all of them.
func FuzzFraming(f *testing.F) {
	data, _ := clientStream(f)
	f.Add(data, []byte{1, 2, 3, 200}, uint16(MaxFrame))
	f.Add(append([]byte{0xF7, 0x23, 4, 0}, 0xF8, 1, 4, 0), []byte{3}, uint16(64))
	f.Fuzz(func(t *testing.T, data, cuts []byte, max uint16) {
		limit := int(max)
		var want []Frame
		var wantErr error
		for rest := data; ; {
			var frame Frame
			if frame, rest, wantErr = Next(rest, limit); frame == nil {
				break
			}
			want = append(want, frame)
		}
		sizes := make([]int, len(cuts))
		for i, c := range cuts {
			sizes[i] = 1 + int(c)
		}
		s := NewStream(limit)
		got, err := feed(s, data, sizes...)
		if !equalFrames(got, want) {
			t.Errorf("got %d frames, want %d", len(got), len(want))
		}
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Errorf("got %v, want %v", err, wantErr)
		}
		if len(s.buf) > limit+2*streamStart {
			t.Errorf("the buffer is %d bytes for a limit of %d", len(s.buf), limit)
		}
	})
}

func wantFault(t *testing.T, err error, op Op, size int) {
	t.Helper()
	var e *DecodeError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a DecodeError", err)
	}
	if e.Op != op || e.Offset < 0 || e.Offset > size {
		t.Errorf("got %v for a payload of %d bytes", e, size)
	}
}
