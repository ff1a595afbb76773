package mapxfer

import (
	"bytes"
	"encoding/hex"
	"hash/crc32"
	"math/rand/v2"
	"sync"
	"testing"

	"w3host/protocol/w3gs"
)

func randomMap(size int) []byte {
	rng := rand.New(rand.NewPCG(3, uint64(size)))
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	return data
}

func mustParts(t testing.TB, data []byte) *Parts {
	t.Helper()
	p, err := NewParts(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPartsFrames compares with the packet of w3gs, which has its own goldens.
func TestPartsFrames(t *testing.T) {
	for _, size := range []int{1, PartLen - 1, PartLen, PartLen + 1, 5*PartLen + 7} {
		p := mustParts(t, randomMap(size))
		var got []byte
		count := 0
		for off := uint32(0); off < p.size(); off = p.End(off) {
			data := p.Data(off)
			want := (&w3gs.MapPart{To: 7, From: 1, Offset: off, CRC32: crc32.ChecksumIEEE(data), Data: data}).AppendTo(nil)
			if frame := p.AppendFrame(nil, off, 7, 1); !bytes.Equal(frame, want) {
				t.Fatalf("size %d, part at %d: got % x want % x", size, off, frame, want)
			}
			if header := p.appendHeader(nil, off, 7, 1); !bytes.Equal(header, want[:HeaderLen]) {
				t.Fatalf("size %d, header at %d: % x", size, off, header)
			}
			got = append(got, data...)
			count++
		}
		if !bytes.Equal(got, p.data) || count != len(p.sums) {
			t.Fatalf("size %d: %d parts of %d do not make the map", size, count, len(p.sums))
		}
	}
}

// TestPartsGolden is one frame written out by hand from the layout in the spec;
// the CRC-32 of "abc" is 0x352441C2.
func TestPartsGolden(t *testing.T) {
	got := hex.EncodeToString(mustParts(t, []byte("abc")).AppendFrame(nil, 0, 2, 1))
	if want := "f7431500" + "02" + "01" + "01000000" + "00000000" + "c2412435" + "616263"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// TestPartsResume: a part may begin anywhere; it ends where the next one begins.
func TestPartsResume(t *testing.T) {
	p := mustParts(t, randomMap(3*PartLen))
	var part w3gs.MapPart
	if err := part.Decode(w3gs.Frame(p.AppendFrame(nil, 1500, 2, 1)).Body()); err != nil {
		t.Fatal(err)
	}
	if part.Offset != 1500 || len(part.Data) != 2*PartLen-1500 || !part.Intact() {
		t.Errorf("offset %d, %d bytes, intact %v", part.Offset, len(part.Data), part.Intact())
	}
	if p.End(1500) != 2*PartLen {
		t.Errorf("ends at %d", p.End(1500))
	}
}

// TestPartsShareTheMap: nothing is copied, and a CRC is computed once.
func TestPartsShareTheMap(t *testing.T) {
	data := randomMap(3 * PartLen)
	p := mustParts(t, data)
	if &p.Data(PartLen)[0] != &data[PartLen] {
		t.Error("the map was copied")
	}
	before := p.AppendFrame(nil, 0, 2, 1)
	data[0]++ // against the rules, to see whether the CRC is taken from the table
	after := p.appendHeader(nil, 0, 2, 1)
	if !bytes.Equal(before[:HeaderLen], after) {
		t.Error("the CRC was computed again")
	}
	if cap(p.Data(0)) != PartLen {
		t.Error("an append to a part would write into the map")
	}
}

// TestPartsFromManyGoroutines is for the race detector: lobbies share one Parts.
func TestPartsFromManyGoroutines(t *testing.T) {
	p := mustParts(t, randomMap(64*PartLen))
	var wg sync.WaitGroup
	for pid := uint8(2); pid < 8; pid++ {
		wg.Go(func() {
			for off := uint32(0); off < p.size(); off = p.End(off) {
				var part w3gs.MapPart
				if err := part.Decode(w3gs.Frame(p.AppendFrame(nil, off, pid, 1)).Body()); err != nil || !part.Intact() {
					t.Errorf("part at %d: %v", off, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestPartsRefuseAnEmptyMap(t *testing.T) {
	if _, err := NewParts(nil); err == nil {
		t.Error("no error")
	}
}
