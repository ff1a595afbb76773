package w3gs

import (
	"bytes"
	"errors"
	"testing"
)

// The groups of the published 1.21 capture: EB is the mask of the seven bytes
// behind it, which say "aps\ies".
func TestStatEncoding(t *testing.T) {
	for _, tt := range []struct{ plain, encoded []byte }{
		{[]byte(`aps\ies`), []byte{0xEB, 0x61, 0x71, 0x73, 0x5D, 0x69, 0x65, 0x73}},
		{nil, nil},
		{[]byte{0}, []byte{0x01, 0x01}},
		{[]byte{1}, []byte{0x03, 0x01}},
		{[]byte{0xFF, 0xFE}, []byte{0x03, 0xFF, 0xFF}},
		{make([]byte, 8), []byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		if got := AppendStatEncoded(nil, tt.plain); !bytes.Equal(got, tt.encoded) {
			t.Errorf("% X: encoded % X, want % X", tt.plain, got, tt.encoded)
		}
		if got, err := DecodeStat(tt.encoded); err != nil || !bytes.Equal(got, tt.plain) {
			t.Errorf("% X: decoded % X, want % X, %v", tt.encoded, got, tt.plain, err)
		}
	}
}

// No byte value turns into the NUL that ends the string.
func TestStatEncodingHasNoZero(t *testing.T) {
	plain := make([]byte, 256)
	for i := range plain {
		plain[i] = byte(i)
	}
	encoded := AppendStatEncoded(nil, plain)
	if bytes.IndexByte(encoded, 0) >= 0 {
		t.Errorf("got % X", encoded)
	}
	if got, err := DecodeStat(encoded); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("came back as % X, %v", got, err)
	}
}

func TestStatStringRefusals(t *testing.T) {
	s := StatString{MapPath: "m", HostName: "h", HasSHA1: true}
	plain, err := DecodeStat(s.AppendTo(nil))
	if err != nil {
		t.Fatal(err)
	}
	for n := range plain {
		err := new(StatString).Decode(AppendStatEncoded(nil, plain[:n]))
		if n == len(plain)-20 { // ends before the SHA-1: an older client
			if err != nil {
				t.Errorf("without SHA-1: %v", err)
			}
			continue
		}
		var e *DecodeError
		if !errors.As(err, &e) {
			t.Errorf("%d of %d bytes: got %v", n, len(plain), err)
		}
	}
	if err := new(StatString).Decode(AppendStatEncoded(nil, append(plain, 0))); !errors.Is(err, ErrTrailing) {
		t.Errorf("a byte behind the SHA-1: got %v", err)
	}
	if err := new(StatString).Decode([]byte{1, 0}); !errors.Is(err, ErrValue) {
		t.Errorf("a zero byte: got %v", err)
	}
}

// A 0x30 whose stat string is bad says at which byte it begins, and what is
// wrong inside.
func TestGameInfoBadStatString(t *testing.T) {
	p := GameInfo{Name: "n", Stat: StatString{MapPath: "m", HostName: "h"}}
	body := bytes.Clone(Frame(p.AppendTo(nil)).Body())
	at := 16 + len("n\x00") + 1
	body[at+5] = 0 // ends the string early
	err := new(GameInfo).Decode(body)
	var e *DecodeError
	if !errors.As(err, &e) || e.Op != OpGameInfo || e.Offset != at {
		t.Errorf("got %v, want a fault at byte %d", err, at)
	}
}
