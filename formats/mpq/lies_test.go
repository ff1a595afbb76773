package mpq

import (
	"bytes"
	"testing"
)

// TestProtections: what protectors do to a map, and the script is read all the same.
func TestProtections(t *testing.T) {
	const prefix = 1024
	plain := AddOptions{Encrypt: true, FixKey: true}
	cases := []struct {
		trick string
		opts  AddOptions
		make  func(f *forged) []byte
	}{
		{"no trick", plain, (*forged).bytes},
		{"the header claims a huge size", plain, func(f *forged) []byte {
			f.header().put32(4, 0xFFFFFFFF)
			return f.bytes()
		}},
		{"the header claims to have no size", plain, func(f *forged) []byte {
			f.header().put32(4, 0)
			return f.bytes()
		}},
		{"the archive size is zero", plain, func(f *forged) []byte {
			f.header().put32(8, 0)
			return f.bytes()
		}},
		{"the archive size is 4 GiB", plain, func(f *forged) []byte {
			f.header().put32(8, 0xFFFFFFFF)
			return f.bytes()
		}},
		{"version 1 with a header that has file data where 64-bit offsets would be", plain, func(f *forged) []byte {
			f.setVersion(1)
			f.header().put32(4, 44)
			return f.bytes()
		}},
		{"a version that never was", plain, func(f *forged) []byte {
			f.setVersion(0xFFFF)
			return f.bytes()
		}},
		{"the upper byte of the sector shift is set", plain, func(f *forged) []byte {
			f.header().put16(14, 0xAB00|defaultShift)
			return f.bytes()
		}},
		{"the block count is far beyond the end", plain, func(f *forged) []byte {
			f.setCounts(uint32(f.hashes.len()), 0x00319601)
			return f.bytes()
		}},
		{"both counts are negative", plain, func(f *forged) []byte {
			f.setCounts(0xF0000000|uint32(f.hashes.len()), 0x80000000|uint32(f.blocks.len()))
			return f.bytes()
		}},
		{"the hash count is 2^20, so that each search begins beyond the end", plain, func(f *forged) []byte {
			for i := range f.hashes.len() {
				if f.hashes.hash(i).block == blockFree {
					f.entry(i).put32(12, 0xFFFFFFFE)
				}
			}
			f.setCounts(1<<20, uint32(f.blocks.len()))
			return f.bytes()
		}},
		{"the hash count is no power of two", plain, func(f *forged) []byte {
			f.setCounts(uint32(f.hashes.len())+1, uint32(f.blocks.len()))
			return f.bytes()
		}},
		{"the hash table has no free entry", plain, func(f *forged) []byte {
			for i := range f.hashes.len() {
				if f.hashes.hash(i).block == blockFree {
					f.entry(i).put32(0, 0x12345678)
					f.entry(i).put32(12, 0x00FFFFFF)
				}
			}
			return f.bytes()
		}},
		{"deleted entries stand in the way", plain, func(f *forged) []byte {
			for i := range f.hashes.len() {
				if f.hashes.hash(i).block == blockFree {
					f.entry(i).put32(12, 0xFFFFFFFE)
				}
			}
			return f.bytes()
		}},
		{"the upper bits of the block index are set", plain, func(f *forged) []byte {
			f.entry(f.slot("war3map.j")).put32(12, 0xF0000000)
			return f.bytes()
		}},
		{"the name stands twice, and the first leads to the wrong file", plain, func(f *forged) []byte {
			return doubled(f, 1, 0)
		}},
		{"the name stands twice, and the last leads nowhere", plain, func(f *forged) []byte {
			return doubled(f, 0, 0x0ABCDEF0)
		}},
		{"all files are for a Korean platform that never was", plain, func(f *forged) []byte {
			for i := range f.hashes.len() {
				f.entry(i).put16(8, 0x412)
				f.entry(i).put16(10, uint16(0x77+i))
			}
			return f.bytes()
		}},
		{"the block claims to be packed to nothing", plain, func(f *forged) []byte {
			f.block(0).put32(4, 0)
			return f.bytes()
		}},
		{"the block claims to be packed to 4 GiB", plain, func(f *forged) []byte {
			f.block(0).put32(4, 0xFFFFFFFF)
			return f.bytes()
		}},
		{"the block claims to be a single unit", plain, func(f *forged) []byte {
			f.setFlags(0, f.block(0).u32(12)|flagSingleUnit)
			return f.bytes()
		}},
		{"the block claims to be a patch, and has unknown flags", plain, func(f *forged) []byte {
			f.setFlags(0, f.block(0).u32(12)|0x00100000|0x00080001)
			return f.bytes()
		}},
		{"the block claims to be deleted", plain, func(f *forged) []byte {
			f.setFlags(0, f.block(0).u32(12)|flagDeleted)
			return f.bytes()
		}},
		{"the block claims to have checksums", plain, func(f *forged) []byte {
			f.setFlags(0, f.block(0).u32(12)|flagSectorCRC)
			return f.bytes()
		}},
		{"the checksums are rubbish", AddOptions{SectorCRC: true}, func(f *forged) []byte {
			data := f.fileData(0)
			count := (len(script)-1)/4096 + 1
			start, end := data.u32(count*4), data.u32(count*4+4)
			for i := start; i < end; i++ {
				data[i] ^= 0x5A
			}
			return f.bytes()
		}},
		{"the block table names files beyond the end", plain, func(f *forged) []byte {
			f.block(1).put32(0, 0x7FFFFFFF)
			return f.bytes()
		}},
		{"a header at 0 whose tables lie beyond the end", plain, func(f *forged) []byte {
			copy(f.data, "MPQ\x1A\x20\x00\x00\x00")
			bytesAt(f.data).put32(16, 0x7FFFFFF0)
			bytesAt(f.data).put32(24, 16)
			return f.bytes()
		}},
		{"a header at 0 whose tables are rubbish", plain, func(f *forged) []byte {
			copy(f.data, "MPQ\x1A\x20\x00\x00\x00")
			bytesAt(f.data).put32(16, 64)
			bytesAt(f.data).put32(20, 128)
			bytesAt(f.data).put32(24, 4)
			bytesAt(f.data).put32(28, 4)
			return f.bytes()
		}},
		{"user data at 0 that points into the script", plain, func(f *forged) []byte {
			copy(f.data, "MPQ\x1B")
			bytesAt(f.data).put32(8, prefix+100)
			return f.bytes()
		}},
		{"a header at 256, where none can be", plain, func(f *forged) []byte {
			copy(f.data[256:], f.data[prefix:prefix+headerSize])
			return f.bytes()
		}},
		{"the tables stand before the header, so that their offsets are negative", plain, func(f *forged) []byte {
			encrypt(f.hashes, hashTableKey)
			encrypt(f.blocks, blockTableKey)
			copy(f.data[32:], f.hashes)
			copy(f.data[32+len(f.hashes):], f.blocks)
			f.header().put32(16, uint32(32-f.base))
			f.header().put32(20, uint32(32+len(f.hashes)-f.base))
			return f.data
		}},
		{"the sectors stand before their table, so that its offsets are negative", AddOptions{}, func(f *forged) []byte {
			data, packed := f.fileData(0), int(f.block(0).u32(4))
			count := (len(script)-1)/4096 + 1
			length := (count + 1) * 4
			whole := append(bytes.Clone(data[length:packed]), data[:length]...)
			for i := range count + 1 {
				at := len(whole) - length + i*4
				bytesAt(whole).put32(at, bytesAt(whole).u32(at)-uint32(packed))
			}
			copy(data, whole)
			f.block(0).put32(0, f.block(0).u32(0)+uint32(packed-length))
			return f.bytes()
		}},
		{"the table is longer than it need be", AddOptions{}, func(f *forged) []byte {
			start := len(f.data) - f.base
			old := bytes.Clone(f.fileData(0)[:f.block(0).u32(4)])
			count := (len(script)-1)/4096 + 1
			length := (count + 1) * 4
			for i := range count + 1 {
				bytesAt(old).put32(i*4, bytesAt(old).u32(i*4)+12)
			}
			f.data = append(append(append(f.data, old[:length]...), "twelve bytes"...), old[length:]...)
			f.block(0).put32(0, uint32(start))
			return f.bytes()
		}},
		{"the zlib header and sum of each sector are wrong", AddOptions{}, func(f *forged) []byte {
			data := f.fileData(0)
			for i := range (len(script)-1)/4096 + 1 {
				start, end := data.u32(i*4), data.u32(i*4+4)
				copy(data[start+1:], "\xFF\xFF")
				copy(data[end-4:], "rot!")
			}
			return f.bytes()
		}},
		{"rubbish follows the archive", plain, func(f *forged) []byte {
			return append(f.bytes(), bytes.Repeat([]byte("MPQ\x1A"), 500)...)
		}},
	}
	for _, c := range cases {
		t.Run(c.trick, func(t *testing.T) {
			a := open(t, c.make(forge(t, prefix, c.opts)))
			got, err := a.ReadFile("war3map.j")
			if err != nil || !bytes.Equal(got, script) {
				t.Errorf("%d bytes, want %d of the script (%v)", len(got), len(script), err)
			}
			if a.Has("war3map.w3q") {
				t.Error("a file was found that does not exist")
			}
		})
	}
}

// doubled gives war3map.j two entries in the order of search, leading to blocks first and last.
func doubled(f *forged, first, last uint32) []byte {
	f.double(first, last, func(int, bytesAt) {})
	return f.bytes()
}

// double is doubled, and changes the two entries.
func (f *forged) double(first, last uint32, change func(i int, entry bytesAt)) {
	n := uint32(f.hashes.len())
	from := hashName("war3map.j", hashStart) & (n - 1)
	real := bytes.Clone(f.entry(f.slot("war3map.j"))[:entrySize])
	f.hashes = table(bytes.Repeat([]byte{0xFF}, len(f.hashes)))
	for i, block := range []uint32{first, last} {
		e := f.entry(int((from + uint32(i)) % n))
		copy(e, real)
		e.put32(12, block)
		change(i, e)
	}
}

// TestHiddenBehindFree: what stands behind a free entry is out of the game's reach, so it is out of ours.
func TestHiddenBehindFree(t *testing.T) {
	f := forge(t, 0, AddOptions{})
	n := f.hashes.len()
	home := int(hashName("war3map.w3q", hashStart)) & (n - 1)
	f.hashes = table(bytes.Repeat([]byte{0xFF}, len(f.hashes)))
	for _, c := range []struct {
		slot  int
		found bool
	}{{home + 2, false}, {home, true}} {
		e := f.entry(c.slot % n)
		e.put32(0, hashName("war3map.w3q", hashNameA))
		e.put32(4, hashName("war3map.w3q", hashNameB))
		e.put32(8, 0)
		e.put32(12, 1)
		g := &forged{data: bytes.Clone(f.data), base: f.base, hashes: bytes.Clone(f.hashes), blocks: bytes.Clone(f.blocks)}
		if got := open(t, g.bytes()).Has("war3map.w3q"); got != c.found {
			t.Errorf("entry %d after the first look: found is %v", c.slot-home, got)
		}
	}
}

// TestLongSector: a stored sector that is longer than its share of the file is cut.
func TestLongSector(t *testing.T) {
	w := NewWriter(nil)
	w.unlisted = true
	random := sampleFiles()["random.bin"][:5000]
	add(t, w, "file", random, AddOptions{})
	f := split(write(t, w), 0)
	f.block(0).put32(8, 4900)
	if got, err := open(t, f.bytes()).ReadFile("file"); err != nil || !bytes.Equal(got, random[:4900]) {
		t.Errorf("%d bytes (%v)", len(got), err)
	}
}

// TestSlashInName: the game turns / into \ before it hashes, but some packers did not.
func TestSlashInName(t *testing.T) {
	f := forge(t, 0, AddOptions{Store: true})
	e := f.entry(f.slot("war3map.j"))
	name := "scripts/war3map.j"
	f.hashes = table(bytes.Repeat(append(bytes.Clone(e[:entrySize-4]), 0xFE, 0xFF, 0xFF, 0xFF), f.hashes.len()))
	e = f.entry(3)
	e.put32(0, hashName(name, hashNameA))
	e.put32(4, hashName(name, hashNameB))
	e.put32(12, 0)
	a := open(t, f.bytes())
	if got, err := a.ReadFile(name); err != nil || !bytes.Equal(got, script) {
		t.Errorf("%d bytes (%v)", len(got), err)
	}
	if a.Has(`scripts\war3map.j`) {
		t.Error(`the name with \ was found, but only the one with / is there`)
	}
}

// TestEmptySectors: a sector without packed bytes, and one that unpacks to less than its share, are filled up with
// zeros as the game does.
func TestEmptySectors(t *testing.T) {
	w := NewWriter(nil)
	short := func(sector []byte) []byte {
		if sector[0] == 0 {
			return []byte{}
		}
		return deflate(sector[:10])
	}
	data := append(bytes.Repeat([]byte("x"), 4096), make([]byte, 5000)...)
	if err := w.add("file", data, AddOptions{}, flagCompressed, short); err != nil {
		t.Fatal(err)
	}
	want := make([]byte, len(data))
	copy(want, data[:10])
	got, err := open(t, write(t, w)).ReadFile("file")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes (%v)", len(got), err)
	}
}

// sparseReader reads zeros everywhere except in a few places.
type sparseReader map[int64][]byte

func (s sparseReader) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	for at, data := range s {
		for i, b := range data {
			if j := at + int64(i) - off; j >= 0 && j < int64(len(p)) {
				p[j] = b
			}
		}
	}
	return len(p), nil
}
