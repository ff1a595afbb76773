package mpq

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/metrics"
	"testing"
)

// fuzzLimit is what the fuzzed methods may unpack, in bytes.
const fuzzLimit = 8192

// fixedCost is what a method may allocate whatever comes in: its tables.
const fixedCost = 32 << 10

// checkHeap runs f and complains if it allocates more than most. The quick count includes what other goroutines do and
// comes in large steps, so what looks too much is counted again exactly.
func checkHeap(t *testing.T, most int, f func()) {
	t.Helper()
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	f()
	metrics.Read(sample)
	if sample[0].Value.Uint64()-before <= uint64(most) {
		return
	}
	used := int64(math.MaxInt64)
	for range 5 {
		used = min(used, allocated(f))
	}
	if used > int64(most) {
		t.Errorf("%d bytes allocated, %d are allowed", used, most)
	}
}

// fuzzMethod checks what holds for each method: it leaves alone what is there, appends no more than the limit, fails
// with ErrCorrupt or ErrUnsupported only, and allocates for what comes out, not for what is claimed.
func fuzzMethod(f *testing.F, fixed int, unpack method) {
	f.Helper()
	for _, g := range goldens(f) {
		f.Add(g.packed)
		f.Add(g.packed[1:])
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		original := bytes.Clone(src)
		dst := []byte("before")
		var out []byte
		var err error
		checkHeap(t, fixed+8*fuzzLimit+8*len(src), func() { out, err = unpack(dst, src, fuzzLimit) })
		if !bytes.Equal(src, original) {
			t.Error("the input was changed")
		}
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrSound) {
				t.Errorf("an error of another kind: %v", err)
			}
			return
		}
		if !bytes.HasPrefix(out, dst) || len(out) > len(dst)+fuzzLimit {
			t.Errorf("%d bytes, of which the limit is %d", len(out)-len(dst), fuzzLimit)
		}
		again, err := unpack(nil, src, fuzzLimit)
		if err != nil || !bytes.Equal(again, out[len(dst):]) {
			t.Errorf("the second time gave something else (%v)", err)
		}
	})
}

func FuzzExplode(f *testing.F) {
	f.Add([]byte("\x00\x04\x82\x24\x25\x8f\x80\x7f"))
	fuzzMethod(f, fixedCost, explode)
}

// FuzzInflate also compares with the standard library: what that unpacks, this unpacks to the same.
func FuzzInflate(f *testing.F) {
	f.Add([]byte("\x78\x9c\x01\x03\x00\xfc\xffabc"))
	f.Add(deflate(sampleFiles()["war3map.j"][:5000])[1:])
	const standard = 128 << 10 // what the library itself takes
	fuzzMethod(f, fixedCost+standard, func(dst, src []byte, limit int) ([]byte, error) {
		out, err := inflate(dst, src, limit)
		if len(src) >= 2 {
			std, stdErr := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(src[2:])), int64(limit)+1))
			if stdErr == nil && len(std) <= limit && (err != nil || !bytes.Equal(std, out[len(dst):])) {
				return nil, fmt.Errorf("%x: got %x (%w), want %x", src, out, err, std)
			}
		}
		return out, err
	})
}

// FuzzBunzip also compares with the standard library: what that unpacks, this unpacks to the same.
func FuzzBunzip(f *testing.F) {
	const standard = 4*900_000 + 64<<10 // what the library itself takes
	fuzzMethod(f, fixedCost+8*fuzzLimit+standard, func(dst, src []byte, limit int) ([]byte, error) {
		out, err := unbzip2(dst, src, limit)
		std, stdErr := io.ReadAll(io.LimitReader(bzip2.NewReader(bytes.NewReader(src)), int64(limit)+1))
		if stdErr == nil && len(std) <= limit && (err != nil || !bytes.HasPrefix(std, out[len(dst):])) {
			return nil, fmt.Errorf("%x: got %x (%w), want %x", src, out, err, std)
		}
		return out, err
	})
}

// FuzzSector goes through the mask byte, and so through combinations.
func FuzzSector(f *testing.F) {
	fuzzMethod(f, fixedCost+16*fuzzLimit, func(dst, src []byte, limit int) ([]byte, error) {
		out, err := expand(dst, src, limit)
		if err == nil && len(out) != len(dst)+limit {
			return nil, errors.New("a sector that is not full")
		}
		return out, err
	})
}

// FuzzOpen reads archives, whatever they hold.
func FuzzOpen(f *testing.F) {
	samples := sampleFiles()
	for i, opts := range allOptions() {
		w := NewWriter([]byte("HM3W")[:i%2*4])
		add(f, w, "war3map.j", samples["war3map.j"][:6000], opts)
		add(f, w, "one.txt", samples["one.txt"], opts)
		f.Add(write(f, w))
	}
	for _, g := range goldens(f) {
		w := NewWriter(nil)
		flag := uint32(flagCompressed)
		if g.packing == "IMPLODE" {
			flag = flagImploded
		}
		if err := w.add("war3map.j", g.unpacked, AddOptions{}, flag, func([]byte) []byte { return g.packed }); err != nil {
			f.Fatal(err)
		}
		f.Add(write(f, w))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var a *Archive
		var err error
		checkHeap(t, fixedCost+searchChunk+maxHeaders*3*len(data), func() { a, err = Open(bytes.NewReader(data), int64(len(data))) })
		if err != nil {
			checkError(t, err)
			return
		}
		for _, name := range append(a.Names(), "war3map.j") {
			file, err := a.Open(name)
			if err != nil {
				checkError(t, err)
				continue
			}
			checkFile(t, a, file)
		}
	})
}

// FuzzBlock varies what FuzzOpen hardly gets at, since the tables are encrypted: one entry of the block table, and the
// data behind it.
func FuzzBlock(f *testing.F) {
	for _, opts := range allOptions() {
		w := NewWriter(nil)
		add(f, w, "war3map.j", script[:5000], opts)
		raw := write(f, w)
		a := open(f, raw)
		b, _ := a.block(0)
		f.Add(byte(defaultShift), b.pos, b.packed, b.size, b.flags, raw[headerSize:headerSize+b.packed])
	}
	f.Fuzz(func(t *testing.T, shift byte, pos, packed, size, flags uint32, data []byte) {
		w := NewWriter(nil)
		w.unlisted = true
		add(t, w, "war3map.j", nil, AddOptions{})
		archive := split(write(t, w), 0)
		archive.data = append(archive.data, data...)
		archive.header()[14] = shift
		for i, v := range []uint32{pos, packed, size, flags} {
			archive.block(0).put32(i*4, v)
		}
		raw := archive.bytes()
		a, err := Open(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			checkError(t, err)
			return
		}
		file, err := a.Open("war3map.j")
		if err != nil {
			checkError(t, err)
			return
		}
		checkFile(t, a, file)
	})
}

func checkFile(t *testing.T, a *Archive, file *File) {
	t.Helper()
	if file.Size() > a.bound() {
		t.Errorf("%s may have %d bytes in an archive of %d", file.name, file.Size(), a.size)
	}
	n, err := io.Copy(io.Discard, file)
	if n > file.Size() || err == nil && n != file.Size() {
		t.Errorf("%s: %d bytes, and its size is %d", file.name, n, file.Size())
	}
	if err != nil {
		checkError(t, err)
	}
}

func checkError(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("not an *Error: %v", err)
	}
	for _, known := range []error{ErrNotFound, ErrFormat, ErrCorrupt, ErrTooLarge, ErrUnsupported, ErrSound} {
		if errors.Is(err, known) {
			return
		}
	}
	t.Errorf("an error of no known kind: %v", err)
}
