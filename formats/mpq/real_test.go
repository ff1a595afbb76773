package mpq

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const mapFolder = "../../../shared/testdata/maps"

// technical is what reference.json says of a map file's archive, as two independent programs found it.
type technical struct {
	Offset     int64          `json:"mpq_offset"`
	HeaderSize uint32         `json:"header_size"`
	Shift      int            `json:"shift"`
	HashCount  uint32         `json:"hash_n"`
	BlockCount uint32         `json:"block_n"`
	Flags      map[string]int `json:"flags"`
	Masks      map[string]int `json:"masks"`
}

func open(t testing.TB, data []byte) *Archive {
	t.Helper()
	a, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// realMap reads one of the real map files, or skips.
func realMap(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(mapFolder, name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("SKIPPED: %s is not there, so nothing checks the reader against real maps", filepath.Join(mapFolder, name))
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func references(t *testing.T) map[string]technical {
	t.Helper()
	var list []struct {
		File string
		MPQ  *technical
	}
	if err := json.Unmarshal(realMap(t, "reference.json"), &list); err != nil {
		t.Fatal(err)
	}
	out := map[string]technical{}
	for _, r := range list {
		if r.MPQ != nil {
			out[r.File] = *r.MPQ
		}
	}
	return out
}

func TestReadsRealMaps(t *testing.T) {
	for name, ref := range references(t) {
		t.Run(name, func(t *testing.T) {
			a := open(t, realMap(t, name))
			h := a.header
			got := technical{
				Offset: h.base, HeaderSize: h.claimed, HashCount: h.hashCount, BlockCount: h.blockCount,
				Flags: map[string]int{}, Masks: map[string]int{},
			}
			for got.Shift = 0; headerStep<<got.Shift != h.sectorSize; got.Shift++ {
			}
			for i := range a.blocks.len() {
				if b, ok := a.block(uint32(i)); ok && referenced(a, uint32(i)) {
					got.Flags[fmt.Sprintf("%08x", b.flags)]++
				}
			}
			for i := range a.blocks.len() {
				b, ok := a.block(uint32(i))
				if !ok || !referenced(a, uint32(i)) || b.flags&flagEncrypted != 0 { // those are read by their names below
					continue
				}
				f, err := newFile(a, fmt.Sprint("block ", i), b, 0)
				if err != nil {
					t.Fatal(err)
				}
				countMasks(t, f, got.Masks)
				checkUnpacks(t, f)
			}
			if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", ref); g != w {
				t.Errorf("got  %s\nwant %s", g, w)
			}
		})
	}
}

// referenced says whether the hash table leads to a block.
func referenced(a *Archive, index uint32) bool {
	for i := range a.hashes.len() {
		if a.hashes.hash(i).block == index {
			return true
		}
	}
	return false
}

func checkUnpacks(t *testing.T, f *File) {
	t.Helper()
	n, err := io.Copy(io.Discard, f)
	if errors.Is(err, ErrSound) {
		return
	}
	if err != nil {
		t.Error(err)
	}
	if n != f.Size() {
		t.Errorf("%s: %d bytes, want %d", f.name, n, f.Size())
	}
}

// countMasks counts the mask bytes of packed sectors; those that are stored as they are count as "stored".
func countMasks(t *testing.T, f *File, masks map[string]int) {
	t.Helper()
	if f.b.flags&flagCompressed == 0 {
		return
	}
	for i := range len(f.offsets) - 1 {
		packed := f.offsets[i+1] - f.offsets[i]
		want := min(int64(f.sectorSize), f.Size()-int64(i)*int64(f.sectorSize))
		if int64(packed) >= want {
			masks["stored"]++
			continue
		}
		raw := make([]byte, packed)
		if _, err := f.a.r.ReadAt(raw, f.a.header.abs(f.b.pos+f.offsets[i])); err != nil {
			t.Fatal(err)
		}
		masks[fmt.Sprintf("%02x", raw[0])]++
	}
}

// TestReadsByName reads each file of each real map by its name: those that the map lists, and those that Warcraft III
// looks for without any list.
func TestReadsByName(t *testing.T) {
	known := []string{"war3map.j", "war3map.w3i", "war3map.w3e", "war3map.wpm", "war3map.doo", "war3map.wts", "war3mapMap.blp", "(listfile)", "(attributes)"}
	for name := range references(t) {
		t.Run(name, func(t *testing.T) {
			a := open(t, realMap(t, name))
			read := 0
			for _, file := range append(a.Names(), known...) {
				data, err := a.ReadFile(strings.ToLower(file))
				if errors.Is(err, ErrNotFound) && !a.Has(file) || errors.Is(err, ErrSound) {
					continue
				}
				if err != nil {
					t.Error(err)
				}
				read++
				var streamed bytes.Buffer
				f, err := a.Open(file)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := f.WriteTo(&streamed); err != nil || !bytes.Equal(streamed.Bytes(), data) {
					t.Errorf("%s: streaming gives other bytes than reading (%v)", file, err)
				}
			}
			if read == 0 {
				t.Error("no file was read")
			}
		})
	}
}

// TestSameFilesInOtherPackings compares maps that hold the same files: encrypted and imploded with sector checksums,
// packed with bzip2, with a falsified header, without a list.
func TestSameFilesInOtherPackings(t *testing.T) {
	for other, original := range map[string]string{
		"syn-enc-fixkey-sectorcrc-implode.w3x": "(2)EchoIsles.w3x",
		"syn-bzip2.w3x":                        "(2)EchoIsles.w3x",
		"jmpq-spazzledMap.w3x":                 "jmpq-normalMap.w3x",
		"jmpq-listfilelessMap.w3x":             "jmpq-normalMap.w3x",
	} {
		t.Run(other, func(t *testing.T) {
			want, got := open(t, realMap(t, original)), open(t, realMap(t, other))
			names := want.Names()
			if len(names) < 10 {
				t.Fatalf("%s names %d files only", original, len(names))
			}
			for _, name := range names {
				w, err := want.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if g, err := got.ReadFile(name); err != nil || !bytes.Equal(g, w) {
					t.Errorf("%s: %d bytes differ from the %d of %s (%v)", name, len(g), len(w), original, err)
				}
			}
		})
	}
}
