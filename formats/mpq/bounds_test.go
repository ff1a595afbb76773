package mpq

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// allocated is how many bytes f allocates in all, freed ones included.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// claims makes a small archive that claims the most in one field.
func claims(t testing.TB, opts AddOptions, change func(f *forged)) []byte {
	t.Helper()
	w := NewWriter(nil)
	w.unlisted = true
	add(t, w, "war3map.j", script[:200], opts)
	f := split(write(t, w), 0)
	change(f)
	return f.bytes()
}

// TestSmallFilesAllocateLittle: whatever an archive of 1 KB claims, reading it takes less than 640 kB.
func TestSmallFilesAllocateLittle(t *testing.T) {
	const most = 640 << 10
	bomb := func(packed []byte, size uint32, shift uint16, flags uint32) func() []byte {
		return func() []byte {
			return claims(t, AddOptions{Store: true}, func(f *forged) {
				f.header().put16(14, shift)
				f.block(0).put32(0, uint32(len(f.data)))
				f.block(0).put32(4, uint32(len(packed)))
				f.block(0).put32(8, size)
				f.setFlags(0, flags)
				f.data = append(f.data, packed...)
			})
		}
	}
	unit := uint32(flagExists | flagCompressed | flagSingleUnit)
	for _, c := range []struct {
		name string
		make func() []byte
		want error
	}{
		{"hash and block counts", func() []byte {
			return claims(t, AddOptions{}, func(f *forged) { f.setCounts(0xFFFFFFFF, 0xFFFFFFFF) })
		}, nil},
		{"a size of 4 GiB in 4 KiB sectors", bomb([]byte{1}, 0xFFFFFFFF, 3, flagExists|flagCompressed), ErrTooLarge},
		{"a size of 4 GiB in one sector", bomb([]byte{1}, 0xFFFFFFFF, 22, flagExists|flagCompressed), ErrTooLarge},
		{"a size of 4 GiB, stored", bomb([]byte{1}, 0xFFFFFFFF, 3, flagExists), ErrTooLarge},
		{"half a megabyte, stored", bomb([]byte{1}, 1<<19, 15, flagExists), ErrCorrupt},
		{"half a megabyte in a sector of ten bytes", bomb(deflate(script[:10]), 1<<19, 3, unit), ErrCorrupt},
		{"half a megabyte in a sector of none", bomb([]byte("\x08\x00\x00\x00\x08\x00\x00\x00"), 1<<19, 15, flagExists|flagCompressed), ErrCorrupt},
		{"half a megabyte in many sectors", bomb(deflate(script[:10]), 1<<19, 0, flagExists|flagCompressed), ErrCorrupt},
		{"bzip2 that names the largest block", bomb(append([]byte("\x10BZh91AY&SY"), make([]byte, 50)...), 1<<16, 15, unit), ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := c.make()
			if len(data) > 1024 {
				t.Fatalf("the archive has %d bytes, so it proves nothing", len(data))
			}
			var err error
			got := allocated(func() {
				var a *Archive
				if a, err = Open(bytes.NewReader(data), int64(len(data))); err == nil {
					_, err = a.ReadFile("war3map.j")
				}
			})
			if got > most {
				t.Errorf("%d bytes allocated for an archive of %d (%v)", got, len(data), err)
			}
			if c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// TestBombsStop: data that would unpack to much more than it claims stops at the claim.
func TestBombsStop(t *testing.T) {
	packed := deflate(make([]byte, 4<<20))
	w := NewWriter(nil)
	if err := w.add("bomb", make([]byte, 4000), AddOptions{}, flagCompressed, func([]byte) []byte { return packed[:3999] }); err != nil {
		t.Fatal(err)
	}
	a := open(t, write(t, w))
	var err error
	got := allocated(func() { _, err = a.ReadFile("bomb") })
	if !errors.Is(err, ErrCorrupt) || got > 256<<10 {
		t.Errorf("%d bytes allocated (%v)", got, err)
	}
}

// TestStreamingHoldsOneSector: while a large file is streamed, no more than a sector of it is in memory.
func TestStreamingHoldsOneSector(t *testing.T) {
	content := bytes.Repeat(script, 200) // 3.6 MB
	w := NewWriter(nil)
	add(t, w, "packed", content, AddOptions{})
	add(t, w, "stored", content, AddOptions{Store: true})
	a := open(t, write(t, w))
	for _, name := range []string{"packed", "stored"} {
		f, err := a.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		out := liveWriter{start: liveHeap()}
		if n, err := io.Copy(&out, f); err != nil || n != int64(len(content)) {
			t.Fatalf("%d bytes (%v)", n, err)
		}
		if out.most > 512<<10 {
			t.Errorf("%s: %d bytes held to stream %d", name, out.most, len(content))
		}
	}
}

// liveWriter measures, once in half a megabyte, how much memory is in use more than at the start.
type liveWriter struct{ start, most, written, next int64 }

func (w *liveWriter) Write(p []byte) (int, error) {
	if w.written += int64(len(p)); w.written >= w.next {
		w.most = max(w.most, liveHeap()-w.start)
		w.next += 1 << 19
	}
	return len(p), nil
}

func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestReadFileBound: ReadFile does not return what no map can hold.
func TestReadFileBound(t *testing.T) {
	data := claims(t, AddOptions{Store: true}, func(f *forged) { f.block(0).put32(8, maxFileSize+1) })
	src := io.NewSectionReader(sparseReader{0: data}, 0, 1<<30)
	a, err := Open(src, src.Size())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.ReadFile("war3map.j"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("ReadFile: %v, want ErrTooLarge", err)
	}
	if f, err := a.Open("war3map.j"); err != nil || f.Size() != maxFileSize+1 {
		t.Errorf("Open: %v", err)
	}
}

// TestSectorBound: a sector of 16 MiB is read, as real maps have them, a larger one is refused before it is unpacked.
func TestSectorBound(t *testing.T) {
	zeros := deflate(make([]byte, maxSector))
	for _, c := range []struct {
		name  string
		size  int
		shift uint16
		flags uint32
		want  error
	}{
		{"16 MiB", maxSector, 15, flagExists | flagCompressed, nil},
		{"16 MiB as a single unit", maxSector, 3, flagExists | flagCompressed | flagSingleUnit, nil},
		{"more, in two sectors", maxSector + 1, 15, flagExists | flagCompressed, ErrCorrupt}, // there is no second one
		{"more", maxSector + 1, 22, flagExists | flagCompressed, ErrTooLarge},
		{"more as a single unit", maxSector + 1, 3, flagExists | flagCompressed | flagSingleUnit, ErrTooLarge},
		{"more, stored and encrypted", maxSector + 1, 22, flagExists | flagEncrypted, ErrTooLarge},
		{"a small file in large sectors", 1000, 22, flagExists | flagCompressed, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			packed := zeros
			if c.size < maxSector {
				packed = deflate(make([]byte, c.size))
			}
			if c.flags&flagSingleUnit == 0 && c.flags&flagCompressed != 0 {
				packed = append(binary.LittleEndian.AppendUint32([]byte{8, 0, 0, 0}, uint32(len(packed)+8)), packed...)
			}
			data := claims(t, AddOptions{Store: true}, func(f *forged) {
				f.header().put16(14, c.shift)
				f.block(0).put32(0, uint32(len(f.data)))
				f.block(0).put32(4, uint32(len(packed)))
				f.block(0).put32(8, uint32(c.size))
				f.setFlags(0, c.flags)
				f.data = append(f.data, packed...)
			})
			a := open(t, data)
			f, err := a.Open("war3map.j")
			if err == nil {
				_, err = f.WriteTo(io.Discard)
			}
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if single := c.flags&flagSingleUnit != 0; err == nil && f.SingleUnit() != single {
				t.Errorf("SingleUnit() = %t", f.SingleUnit())
			}
		})
	}
}

// TestNamesBound: of a list only the beginning is read, and no name that no game would take.
func TestNamesBound(t *testing.T) {
	w := NewWriter(nil)
	w.unlisted = true
	long := strings.Repeat("x", maxName+1)
	add(t, w, "first", script, AddOptions{})
	add(t, w, "last", script, AddOptions{})
	add(t, w, long, script, AddOptions{})
	list := "first\r\n" + long + "\r\n" + strings.Repeat("FIRST\r\n", maxList/7) + "last\r\n"
	add(t, w, listfile, []byte(list), AddOptions{})
	if got := open(t, write(t, w)).Names(); !slices.Equal(got, []string{"first"}) {
		t.Errorf("%.100q", got)
	}
}

// TestDecoysAreNotKept: of many headers that lead nowhere, no more than one's tables are in memory.
func TestDecoysAreNotKept(t *testing.T) {
	head := append([]byte("MPQ\x1A\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x02\x00\x00\x00\x02\x00\x00\xFF\xFF\xFF\x0F\xFF\xFF\xFF\x0F"), make([]byte, 480)...)
	data := append(bytes.Repeat(head, 3), make([]byte, 16<<20)...)
	before := liveHeap()
	var most int64
	a, err := Open(watched{bytes.NewReader(data), func() { most = max(most, liveHeap()-before) }}, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if a.usable() || most > 20<<20 {
		t.Errorf("%d bytes held, usable: %v", most, a.usable())
	}
}

// watched calls back before large reads.
type watched struct {
	io.ReaderAt
	read func()
}

func (w watched) ReadAt(p []byte, off int64) (int, error) {
	if len(p) > 1<<20 {
		w.read()
	}
	return w.ReaderAt.ReadAt(p, off)
}
