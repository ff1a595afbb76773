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

// bitWriter packs bits from the lowest up, as PKWARE and Huffman data have them.
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

// huffman is the other direction of unhuffman, on the same tree.
func huffman(kind byte, data []byte) []byte {
	var tree huffmanTree
	tree.build(&weightTables[kind])
	var w bitWriter
	w.put(uint64(kind), 8)
	send := func(symbol uint16) {
		var path []uint64
		for node := tree.leaf[symbol]; tree.nodes[node].parent != listHead; node = tree.nodes[node].parent {
			bit := uint64(1)
			if tree.nodes[tree.nodes[node].parent].child == node {
				bit = 0
			}
			path = append(path, bit)
		}
		for i := range path {
			w.put(path[len(path)-1-i], 1)
		}
	}
	for _, b := range data {
		isNew := tree.leaf[b] == listHead
		if isNew {
			send(symbolNew)
			w.put(uint64(b), 8)
			tree.insert(uint16(b))
		} else {
			send(uint16(b))
		}
		if isNew || kind == 0 {
			tree.raise(tree.leaf[b])
		}
	}
	send(symbolEnd)
	return w.bytes()
}

func TestHuffman(t *testing.T) {
	samples := sampleFiles()
	for kind := range weightTables {
		for name, want := range samples {
			want = want[:min(len(want), 6000)]
			got, err := unhuffman(nil, huffman(byte(kind), want), len(want))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("kind %d, %s: wrong from byte %d on (%v)", kind, name, firstDifference(got, want), err)
			}
		}
	}
	// The encoder above shares the tree with the decoder, so it proves little unless it gives what smpq gives.
	for _, g := range goldens(t) {
		if g.packing == "HUFFMANN" {
			if got := huffman(0, g.unpacked); !bytes.Equal(got, g.packed[1:]) {
				t.Errorf("%s: packed otherwise than smpq does:\n%x\n%x", g.file, got, g.packed[1:])
			}
		}
	}
	for name, packed := range map[string]string{
		"nothing":      "",
		"no such kind": "\x09\x00\x00",
		"all ones":     "\x00" + strings.Repeat("\xFF", 5000),
	} {
		if _, err := unhuffman(nil, []byte(packed), 4096); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}

func TestADPCM(t *testing.T) {
	for _, c := range []struct {
		name     string
		channels int
		packed   string
		want     string // samples, little-endian
	}{
		{"the first sample stands as it is", 1, "\x00\x04\x34\x12", "\x34\x12"},
		{"0x80 repeats it", 1, "\x00\x04\x34\x12\x80", "\x34\x12\x34\x12"},
		{"0x81 yields nothing", 1, "\x00\x04\x34\x12\x81\x81", "\x34\x12"},
		{"a code of 0 adds the smallest difference: step 494 / 16", 1, "\x00\x04\x00\x00\x00", "\x00\x00\x1e\x00"},
		{"bit 0 adds the step", 1, "\x00\x04\x00\x00\x01", "\x00\x00\x0c\x02"},
		{"bit 5 adds a 32nd of it", 1, "\x00\x04\x00\x00\x20", "\x00\x00\x2d\x00"},
		{"bit 6 subtracts", 1, "\x00\x04\x00\x00\x41", "\x00\x00\xf4\xfd"},
		{"it stops at the largest sample", 1, "\x00\x04\xff\x7f\x3f", "\xff\x7f\xff\x7f"},
		{"and at the smallest", 1, "\x00\x04\x00\x80\x7f", "\x00\x80\x00\x80"},
		{"two channels take turns", 2, "\x00\x04\x01\x00\x02\x00\x80\x80\x80", "\x01\x00\x02\x00\x01\x00\x02\x00\x01\x00"},
		{"0x81 keeps the channel", 2, "\x00\x04\x01\x00\x02\x00\x81\x80\x80", "\x01\x00\x02\x00\x01\x00\x02\x00"},
	} {
		got, err := unadpcm(nil, []byte(c.packed), len(c.want), c.channels)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %x (%v), want %x", c.name, got, err, c.want)
		}
		if _, err := unadpcm(nil, []byte(c.packed), len(c.want)-1, c.channels); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: with less room: %v, want ErrCorrupt", c.name, err)
		}
	}
}
