package replay

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// FuzzFile reads anything in all the ways there are.
func FuzzFile(f *testing.F) {
	for _, turns := range []int{6, 40} {
		var file memFile
		playGame(f, &file, turns)
		f.Add(file.data)
	}
	f.Add([]byte(magic))
	files, _ := filepath.Glob(filepath.Join(realDir, "*.w3g"))
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil && len(data) < 1<<16 {
			f.Add(data)
		}
	}
	f.Fuzz(readAllWays)
}

// FuzzStream reads anything as the stream of a file that is right otherwise.
func FuzzStream(f *testing.F) {
	for _, turns := range []int{6, 40} {
		var file memFile
		playGame(f, &file, turns)
		for _, version := range []uint32{0, 2, 6, 12, 26, 29, 10031, 10032, 10100} {
			f.Add(inflated(f, file.data), version)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, version uint32) { readAllWays(t, wrap(stream, Version(version))) })
}

func readAllWays(t *testing.T, data []byte) {
	r, err := NewReader(bytes.NewReader(data))
	if err != nil {
		return
	}
	s := Summarise(r)
	s.SVG()
	for _, p := range s.Players {
		if p.APM < 0 || p.APM != p.APM {
			t.Errorf("APM %v", p.APM)
		}
	}
	Verify(open(t, data))
	var fixed memFile
	if _, err := Repair(bytes.NewReader(data), &fixed); err == nil {
		again := Summarise(open(t, fixed.data))
		if again.Turns != s.Turns || again.Played != s.Played || len(again.Chat) != len(s.Chat) || len(again.Leaves) != len(s.Leaves) {
			t.Errorf("repaired: %d turns, %v, %d lines, %d leaves; was %d, %v, %d, %d", again.Turns, again.Played, len(again.Chat), len(again.Leaves),
				s.Turns, s.Played, len(s.Chat), len(s.Leaves))
		}
	}
	Anonymise(open(t, data), &memFile{}, true)
}

// FuzzActions walks a command block by the rules of every version.
func FuzzActions(f *testing.F) {
	f.Add(order("hfoo"), uint32(26), uint16(6059), false)
	f.Add([]byte("\x6Ba\x00b\x00c\x00\x01\x00\x00\x00\x60\x00\x00\x00\x00\x00\x00\x00\x00-ap\x00"), uint32(26), uint16(6059), false)
	f.Add([]byte("\x6Ea\x00b\x00c\x00hfoo\x00\x00\x00\x00"), uint32(10032), uint16(6114), true)
	f.Fuzz(func(t *testing.T, data []byte, version uint32, build uint16, late bool) {
		r := Program{Version: Version(version), Build: build}.rules(late)
		n := 0
		for a := range r.Actions(data) {
			n += len(a.Data)
			if len(a.Data) == 0 {
				t.Fatal("an action of no bytes")
			}
			r.Describe(a)
		}
		if counted := r.CountActions(data); counted > len(data) {
			t.Fatalf("%d actions in %d bytes", counted, len(data))
		}
		if n != len(data) {
			t.Fatalf("%d of %d bytes", n, len(data))
		}
	})
}

// wrap puts a stream into a file whose sums and sizes are right.
func wrap(stream []byte, version Version) []byte {
	f := &memFile{}
	w := newWriter(f, gameOf(version))
	w.put(stream)
	w.closed, w.start = true, true
	w.finish()
	return f.data
}

// A file that claims 4 GB of everything is read in little memory, to the end of
// what is there.
func TestClaimsOfGigabytes(t *testing.T) {
	f := &memFile{}
	playGame(t, f, 100)
	h := open(t, f.data).Header
	h.FileSize, h.StreamSize, h.Blocks = 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF
	copy(f.data, h.AppendTo(nil))
	s := Summarise(open(t, f.data))
	if s.Played != 10*time.Second || len(s.Findings) == 0 {
		t.Errorf("%v, %v", s.Played, s.Findings)
	}
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			Summarise(open(b, f.data))
		}
	}).AllocedBytesPerOp()
	if allocated > 4<<20 {
		t.Errorf("%d bytes for a file of %d", allocated, len(f.data))
	}
	// A block that claims more than it can hold.
	at := int(h.Length)
	binary.LittleEndian.PutUint16(f.data[at:], 0xFFFF)
	block := parseBlockHeader(f.data[at:], false)
	binary.LittleEndian.PutUint16(f.data[at+4:], block.sum(false))
	if _, err := NewReader(bytes.NewReader(f.data)); err == nil {
		t.Error("a block beyond the end of the file is read")
	}
}

// bomb is a reader of a replay without end: the same chat line again and again.
type bomb struct {
	head, block []byte
	left        int
	buf         []byte
}

func (b *bomb) Read(p []byte) (int, error) {
	if len(b.buf) == 0 {
		b.buf = b.block
		if b.head != nil {
			b.buf, b.head = b.head, nil
		} else if b.left--; b.left < 0 {
			return 0, errEnough
		}
	}
	n := copy(p, b.buf)
	b.buf = b.buf[n:]
	return n, nil
}

var errEnough = bytes.ErrTooLarge

func TestEndlessChatDoesNotFillMemory(t *testing.T) {
	f := &memFile{}
	w, err := NewWriter(f, game126, fourPlayers())
	if err != nil {
		t.Fatal(err)
	}
	// Fill the first block so that those behind it begin with a record.
	for len(w.block) > 0 && w.header.Blocks == 0 {
		left := blockSize - len(w.block)
		n := min(1000, left-10) // 10 bytes are the rest of the record
		if rest := left - 10 - n; rest > 0 && rest < 11 {
			n -= 11
		}
		w.Chat(Chat{PID: 1, Flag: w3gs.ChatGame, Text: string(bytes.Repeat([]byte{'x'}, n))})
	}
	if len(w.block) > 0 {
		t.Fatalf("%d bytes are left over", len(w.block))
	}
	h := w.header
	h.Blocks, h.StreamSize = 0xFFFFFFFF, 0xFFFFFFFF
	line := (&Chat{PID: 1, Flag: w3gs.ChatGame, Text: string(bytes.Repeat([]byte{'y'}, 16-10))}).appendTo(nil)
	head := append(h.AppendTo(nil), f.data[headerLen1:w.at]...)
	block := appendBlock(nil, compress(bytes.Repeat(line, blockSize/16)), false)
	r, err := NewReader(&bomb{head: head, block: block, left: 20000}) // 164 MB of stream, 10 million lines
	if err != nil {
		t.Fatal(err)
	}
	s := Summarise(r)
	if len(s.Chat) != maxChatLines || len(s.Findings) > 5 {
		t.Errorf("%d lines kept, %v", len(s.Chat), s.Findings)
	}
}

// One wrong byte anywhere in the data is found.
func TestEveryFlippedByteIsFound(t *testing.T) {
	f := &memFile{}
	playGame(t, f, 60)
	for i := range f.data {
		data := bytes.Clone(f.data)
		data[i] ^= 0x10
		r, err := NewReader(bytes.NewReader(data))
		if err != nil {
			continue
		}
		faults := 0
		for _, finding := range Verify(r) {
			if finding.Fault {
				faults++
			}
		}
		if faults == 0 {
			t.Errorf("byte %d: %08x", i, crc32.ChecksumIEEE(data))
		}
	}
}
