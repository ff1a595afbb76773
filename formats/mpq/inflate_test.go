package mpq

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"testing"
)

// TestInflate unpacks what the standard library packs, at each level: fixed codes, codes of its own, none.
func TestInflate(t *testing.T) {
	for _, level := range []int{flate.HuffmanOnly, flate.NoCompression, flate.BestSpeed, flate.DefaultCompression, flate.BestCompression} {
		for name, want := range sampleFiles() {
			for _, n := range []int{0, 1, 2, 40, 4096, len(want)} {
				want := want[:min(n, len(want))]
				t.Run(fmt.Sprintf("level %d %s %d", level, name, n), func(t *testing.T) {
					var b bytes.Buffer
					b.WriteString("no") // the header that is not looked at
					w, err := flate.NewWriter(&b, level)
					if err != nil {
						t.Fatal(err)
					}
					half := len(want) / 2
					for _, part := range [][]byte{want[:half], want[half:]} {
						if _, err := w.Write(part); err != nil {
							t.Fatal(err)
						}
						if err := w.Flush(); err != nil { // more than one block
							t.Fatal(err)
						}
					}
					if err := w.Close(); err != nil {
						t.Fatal(err)
					}
					for _, extra := range []int{0, 1, 1000} {
						got, err := inflate([]byte("before"), b.Bytes(), len(want)+extra)
						if err != nil || !bytes.Equal(got, append([]byte("before"), want...)) {
							t.Errorf("with room for %d more: wrong from byte %d on (%v)", extra, firstDifference(got[6:], want), err)
						}
					}
					if len(want) > 0 {
						if _, err := inflate(nil, b.Bytes(), len(want)-1); !errors.Is(err, errOverrun) {
							t.Errorf("with room for one less: %v", err)
						}
					}
				})
			}
		}
	}
}

func TestInflateRefuses(t *testing.T) {
	for name, packed := range map[string]string{
		"nothing":                          "",
		"no block":                         "\x78\x9c",
		"a block of a kind that is none":   "\x78\x9c\x07",
		"a stored block with a wrong size": "\x78\x9c\x01\x03\x00\xfc\xfeabc",
		"a stored block that is cut off":   "\x78\x9c\x01\x03\x00\xfc\xffab",
		"fixed codes that are cut off":     "\x78\x9c\x4b\x4c",
		"a copy from before the beginning": "\x78\x9c\x03\x02\x00\x00\x00\x00\x00",
		"too many codes":                   "\x78\x9c\xfd\xff\xff\xff\xff\xff\xff",
		"a table without codes":            "\x78\x9c\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"a table that is too full":         "\x78\x9c\x05\x00\x92\x24\x49\x92\x24\x49\x92\x24\x49",
	} {
		for _, before := range []string{"", "what was there before is none of its business"} {
			if got, err := inflate([]byte(before), []byte(packed), 100); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s: %q (%v), want ErrCorrupt", name, got, err)
			}
		}
	}
}

// TestInflateToleratesRubbish: once all bytes have come out, it does not matter what follows.
func TestInflateToleratesRubbish(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("no")
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(script); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil { // but no Close, so that the last block is missing
		t.Fatal(err)
	}
	for _, rubbish := range []string{"", "\x07", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "\x01\x03\x00"} {
		got, err := inflate(nil, append(bytes.Clone(b.Bytes()), rubbish...), len(script))
		if err != nil || !bytes.Equal(got, script) {
			t.Errorf("followed by %x: %d bytes (%v)", rubbish, len(got), err)
		}
	}
}
