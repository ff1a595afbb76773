package mpq

import (
	"bytes"
	"errors"
	"io"
	"runtime/metrics"
	"testing"
)

// fuzzLimit is what the fuzzed methods may unpack, in bytes.
const fuzzLimit = 8192

// heap counts all bytes allocated so far. Unlike runtime.ReadMemStats it is cheap enough for a fuzz target.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// fuzzMethod checks what holds for each method: it leaves alone what is there, appends no more than the limit, fails
// with ErrCorrupt or ErrUnsupported only, and allocates for what comes out, not for what is claimed.
func fuzzMethod(f *testing.F, fixed uint64, unpack method) {
	f.Helper()
	for _, g := range goldens(f) {
		f.Add(g.packed)
		f.Add(g.packed[1:])
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		original := bytes.Clone(src)
		dst := []byte("before")
		start := heap()
		out, err := unpack(dst, src, fuzzLimit)
		if used := heap() - start; used > fixed+8*fuzzLimit+8*uint64(len(src)) {
			t.Errorf("%d bytes allocated for %d of input and at most %d of output", used, len(src), fuzzLimit)
		}
		if !bytes.Equal(src, original) {
			t.Error("the input was changed")
		}
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) {
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

// The heap is counted in steps of whole spans, so that even nothing may count as this much.
const grain = 128 << 10

func FuzzExplode(f *testing.F) {
	f.Add([]byte("\x00\x04\x82\x24\x25\x8f\x80\x7f"))
	fuzzMethod(f, grain, explode)
}

func FuzzHuffman(f *testing.F) {
	for kind := range weightTables {
		f.Add(huffman(byte(kind), []byte("call TriggerSleepAction(2)")))
	}
	fuzzMethod(f, grain, unhuffman)
}

func FuzzADPCM(f *testing.F) {
	fuzzMethod(f, grain, func(dst, src []byte, limit int) ([]byte, error) {
		if _, err := unadpcm(nil, src, limit, 2); err != nil && !errors.Is(err, ErrCorrupt) {
			return nil, err
		}
		return unadpcm(dst, src, limit, 1)
	})
}

func FuzzLZMA(f *testing.F) { fuzzMethod(f, grain, unlzma) }

// FuzzSector goes through the mask byte, and so through combinations. The bzip2 reader of the standard library takes
// four bytes for each byte of the smallest block, 100,000, and again for each block.
func FuzzSector(f *testing.F) {
	const bzip2Block = 4 * 100_000
	fuzzMethod(f, grain+2*bzip2Block, func(dst, src []byte, limit int) ([]byte, error) {
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
		start := heap()
		a, err := Open(bytes.NewReader(data), int64(len(data)))
		used := heap() - start
		if used > grain+uint64(searchChunk)+uint64(maxHeaders)*4*uint64(len(data)) {
			t.Errorf("Open: %d bytes allocated for an archive of %d", used, len(data))
		}
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
		for i := range min(a.Blocks(), 32) {
			file, err := a.OpenBlock(i)
			if err != nil {
				checkError(t, err)
				continue
			}
			checkFile(t, a, file)
		}
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
	for _, known := range []error{ErrNotFound, ErrFormat, ErrCorrupt, ErrTooLarge, ErrUnsupported, ErrNoKey} {
		if errors.Is(err, known) {
			return
		}
	}
	t.Errorf("an error of no known kind: %v", err)
}
