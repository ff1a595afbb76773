package w3gs

import (
	"errors"
	"testing"
)

var transferGoldens = []golden{
	{name: "MapCheck", dir: FromHost, want: &mapCheckGolden, alsoWhole: func(n int) bool { return n == len(`Maps\Download\w3host.w3x`)+17 }},
	{name: "MapCheck/before 1.23", dir: FromHost, want: &MapCheck{
		Path: `Maps\Download\w3host.w3x`, Size: 8388608, CRC32: 0x2E5B1D0F, Checksum: 0x30B9D599,
	}},
	{name: "StartDownload", dir: FromHost, want: &StartDownload{From: 1}},
	{name: "MapSize/have", dir: FromClient, want: &MapSize{Flag: MapHave, Size: 8388608}},
	{name: "MapSize/downloading", dir: FromClient, want: &MapSize{Flag: MapDownloading, Size: 14420}},
	{
		name: "MapPart", dir: FromHost, alsoWhole: func(n int) bool { return n >= 14 }, openEnd: true,
		want: &MapPart{To: 2, From: 1, Offset: 1442, CRC32: 0xB25B7450, Data: []byte("HM3W\x00\x00\x00\x00")},
	},
	{name: "MapPartOK", dir: FromClient, want: &MapPartOK{To: 1, From: 2, Size: 2884}},
	{name: "MapPartNotOK", dir: FromClient, want: &MapPartNotOK{To: 1, From: 2}},
}

var mapCheckGolden = MapCheck{
	Path: `Maps\Download\w3host.w3x`, Size: 8388608, CRC32: 0x2E5B1D0F, Checksum: 0x30B9D599, HasSHA1: true,
	SHA1: [20]byte{
		0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF, 0xB0, 0xB1, 0xB2, 0xB3,
	},
}

// A part of the wrong CRC is well-formed: the client asks for it again.
func TestMapPartIntact(t *testing.T) {
	frame := readHex(t, "transfer")["MapPart"]
	var p MapPart
	if err := p.Decode(frame.Body()); err != nil || !p.Intact() {
		t.Fatalf("got intact %v, %v", p.Intact(), err)
	}
	frame[len(frame)-1] ^= 1
	if err := p.Decode(frame.Body()); err != nil || p.Intact() {
		t.Errorf("one bit off: got intact %v, %v", p.Intact(), err)
	}
}

func TestMapPartBound(t *testing.T) {
	frame := Frame((&MapPart{Data: make([]byte, MapPartLen)}).AppendTo(nil))
	if len(frame) != 1460 {
		t.Errorf("the longest part is %d bytes, want 1460", len(frame))
	}
	if err := new(MapPart).Decode(frame.Body()); err != nil {
		t.Error(err)
	}
	frame = (&MapPart{Data: make([]byte, MapPartLen+1)}).AppendTo(nil)
	if err := new(MapPart).Decode(frame.Body()); !errors.Is(err, ErrTooLong) {
		t.Errorf("1443 bytes: got %v, want ErrTooLong", err)
	}
}
