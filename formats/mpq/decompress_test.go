package mpq

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"
)

type golden struct {
	packing, file    string
	packed, unpacked []byte
}

func goldens(t testing.TB) []golden {
	t.Helper()
	text, err := os.ReadFile("testdata/sectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []golden
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		g := golden{packing: f[0], file: f[1]}
		if g.packed, err = hex.DecodeString(f[2]); err != nil {
			t.Fatal(err)
		}
		if g.unpacked, err = hex.DecodeString(f[3]); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	return all
}

// unpack reads what was imploded as a whole, or what has a mask byte.
func (g golden) unpack(src []byte, want int) ([]byte, error) {
	if g.packing == "IMPLODE" {
		return finish(explode, nil, src, want)
	}
	return expand(nil, src, want)
}

func TestGoldenSectors(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.packing+" "+g.file, func(t *testing.T) {
			got, err := g.unpack(g.packed, len(g.unpacked))
			if err != nil || !bytes.Equal(got, g.unpacked) {
				t.Errorf("%v\ngot  %x\nwant %x", err, got, g.unpacked)
			}
			// What is there already stays.
			got, err = expand([]byte("before"), g.packed, len(g.unpacked))
			if g.packing != "IMPLODE" && (err != nil || !bytes.Equal(got, append([]byte("before"), g.unpacked...))) {
				t.Errorf("appending: %v\ngot %x", err, got)
			}
			if _, err := g.unpack(g.packed, len(g.unpacked)-2); !errors.Is(err, ErrCorrupt) {
				t.Errorf("for a size of two bytes less: %v, want ErrCorrupt", err)
			}
			for n := range g.packed {
				got, err := g.unpack(g.packed[:n], len(g.unpacked))
				if err == nil && len(got) != len(g.unpacked) {
					t.Fatalf("cut at %d: %d bytes, want %d", n, len(got), len(g.unpacked))
				}
				if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) {
					t.Fatalf("cut at %d: %v", n, err)
				}
			}
		})
	}
}

// bitWriter packs bits from the lowest up, as PKWARE data has them.
type bitWriter struct {
	out  []byte
	bits uint64
	have uint
}

func (w *bitWriter) put(value uint64, n uint) {
	w.bits |= value << w.have
	for w.have += n; w.have >= 8; w.have -= 8 {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
	}
}

func (w *bitWriter) bytes() []byte {
	if w.have > 0 {
		return append(w.out, byte(w.bits))
	}
	return w.out
}

// The checksum of a block counts when it fills the sector, too; what follows then does not.
func TestBunzipChecksum(t *testing.T) {
	text := strings.Repeat("hello ", 4)[:23]
	data, err := hex.DecodeString("425a683131415926535902f8b0bd000003910040000244a00030cd00548696719b38a3c5dc914e142400be2c2f40")
	if err != nil {
		t.Fatal(err)
	}
	cut := data[:len(data)-10] // without the mark of the end
	for _, src := range [][]byte{data, cut, append(bytes.Clone(cut), make([]byte, 20)...)} {
		if got, err := unbzip2(nil, src, len(text)); err != nil || string(got) != text {
			t.Errorf("%x: %q, %v", src, got, err)
		}
		src[10] ^= 1 // of the checksum
		if got, err := unbzip2(nil, src, len(text)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%x: %q, %v", src, got, err)
		}
		src[10] ^= 1
	}
}

func TestExplode(t *testing.T) {
	// Coded literals, with some codes from PKWARE's published table: short ones and the longest.
	var coded bitWriter
	coded.put(litCoded, 8)
	coded.put(minDict, 8)
	for _, c := range []struct {
		code uint64
		bits uint
	}{
		{0x05, 5}, {0x0A, 6}, {0x1B, 5}, {0x0F, 4}, // t h e space
		{0x490, 11}, {0x1240, 13}, {0x240, 13}, {0x0000, 13}, // 00 1A 80 FF
	} {
		coded.put(0, 1)
		coded.put(c.code, c.bits)
	}
	coded.put(1, 1)
	coded.put(0x00, 7)
	coded.put(0xFF, 8) // length 519: the end

	// The shortest codes: length 3, one byte back, where there is none.
	var early bitWriter
	early.put(litBinary, 8)
	early.put(minDict, 8)
	early.put(1, 1)
	early.put(0b11, 2)
	early.put(0b11, 2)
	early.put(0, 4)
	early.put(1, 1)
	early.put(0x00, 7)
	early.put(0xFF, 8)

	for _, c := range []struct {
		name, packed, want string
		limit              int
		err                error
	}{
		// The example in Ben Rudiak-Gould's description of the format.
		{"a copy that runs into itself", "\x00\x04\x82\x24\x25\x8f\x80\x7f", "AIAIAIAIAIAIA", 13, nil},
		{"rubbish after the end", "\x00\x04\x82\x24\x25\x8f\x80\x7frest", "AIAIAIAIAIAIA", 13, nil},
		{"more room than data", "\x00\x04\x82\x24\x25\x8f\x80\x7f", "AIAIAIAIAIAIA", 4096, nil},
		{"one byte too many", "\x00\x04\x82\x24\x25\x8f\x80\x7f", "", 12, ErrCorrupt},
		{"no end", "\x00\x04\x82\x24\x25\x8f", "", 13, ErrCorrupt},
		{"coded literals", string(coded.bytes()), "the \x00\x1a\x80\xff", 8, nil},
		{"no such kind", "\x02\x04\x82\x24", "", 13, ErrCorrupt},
		{"too large a dictionary", "\x00\x07\x82\x24", "", 13, ErrCorrupt},
		{"too small a dictionary", "\x00\x03\x82\x24", "", 13, ErrCorrupt},
		{"a copy from before the beginning", string(early.bytes()), "", 13, ErrCorrupt},
		{"nothing", "", "", 13, ErrCorrupt},
	} {
		got, err := explode([]byte("before"), []byte(c.packed), c.limit)
		if !errors.Is(err, c.err) || err == nil && string(got) != "before"+c.want {
			t.Errorf("%s: %q (%v), want %q (%v)", c.name, got, err, c.want, c.err)
		}
	}
}
