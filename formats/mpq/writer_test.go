package mpq

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func write(t testing.TB, w *Writer) []byte {
	t.Helper()
	data, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func add(t testing.TB, w *Writer, name string, data []byte, opts AddOptions) {
	t.Helper()
	if err := w.Add(name, data, opts); err != nil {
		t.Fatal(err)
	}
}

// allOptions is each combination that Add accepts.
func allOptions() []AddOptions {
	var all []AddOptions
	for i := range 32 {
		o := AddOptions{Store: i&1 != 0, Encrypt: i&2 != 0, FixKey: i&4 != 0, SectorCRC: i&8 != 0, SingleUnit: i&16 != 0}
		if (o.FixKey && !o.Encrypt) || (o.SectorCRC && (o.Store || o.SingleUnit)) {
			continue
		}
		all = append(all, o)
	}
	return all
}

func TestRoundTrip(t *testing.T) {
	samples := sampleFiles()
	samples["empty.txt"] = nil
	for name, data := range samples {
		samples[name] = data[:min(len(data), 20_500)]
	}
	for _, shift := range []uint16{0, defaultShift, 15} {
		for _, prefix := range [][]byte{nil, []byte("HM3W"), make([]byte, 1536)} {
			if prefix != nil && shift != defaultShift {
				continue
			}
			for _, opts := range allOptions() {
				t.Run(fmt.Sprintf("shift %d prefix %d %+v", shift, len(prefix), opts), func(t *testing.T) {
					w := NewWriter(prefix)
					w.Shift = shift
					for name, data := range samples {
						add(t, w, name, data, opts)
					}
					raw := write(t, w)
					if !bytes.HasPrefix(raw, prefix) {
						t.Error("the prefix is not in front")
					}
					a := open(t, raw)
					if got := len(a.Names()); got != len(samples) {
						t.Errorf("%d names, want %d", got, len(samples))
					}
					for name, want := range samples {
						got, err := a.ReadFile(name)
						if err != nil || !bytes.Equal(got, want) {
							t.Errorf("%s: %d bytes, want %d (%v)", name, len(got), len(want), err)
						}
					}
				})
			}
		}
	}
}

func TestWriterIsDeterministic(t *testing.T) {
	build := func() []byte {
		w := NewWriter([]byte("HM3W"))
		for _, name := range []string{"war3map.j", "mixed.bin", "mono.wav"} {
			add(t, w, name, sampleFiles()[name], AddOptions{Encrypt: true, FixKey: true})
		}
		return write(t, w)
	}
	if !bytes.Equal(build(), build()) {
		t.Error("the same calls gave other bytes")
	}
	w := NewWriter(nil)
	add(t, w, "a", []byte("a"), AddOptions{})
	if !bytes.Equal(write(t, w), write(t, w)) {
		t.Error("calling Bytes twice gave other bytes")
	}
}

func TestWriterRefuses(t *testing.T) {
	w := NewWriter(nil)
	add(t, w, `a\b`, []byte("x"), AddOptions{})
	for _, c := range []struct {
		name, want string
		opts       AddOptions
	}{
		{"", "name is empty", AddOptions{}},
		{"A/B", "already in the archive", AddOptions{}},
		{"c", "FixKey requires Encrypt", AddOptions{FixKey: true}},
		{"c", "SectorCRC requires", AddOptions{SectorCRC: true, Store: true}},
		{"c", "SectorCRC requires", AddOptions{SectorCRC: true, SingleUnit: true}},
	} {
		if err := w.Add(c.name, nil, c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Add(%q, %+v): %v, want %q", c.name, c.opts, err, c.want)
		}
	}
}

// TestLocales: of the versions of a file for several languages the neutral one is read, wherever it stands.
func TestLocales(t *testing.T) {
	for neutral := range 2 {
		f := forge(t, 0, AddOptions{})
		blocks := [2]uint32{1, 1}
		blocks[neutral] = 0
		f.double(blocks[0], blocks[1], func(i int, entry bytesAt) {
			if i != neutral {
				entry.put16(8, 0x407)
			}
		})
		if got, err := open(t, f.bytes()).ReadFile("war3map.j"); err != nil || !bytes.Equal(got, script) {
			t.Errorf("the neutral file is number %d: %d bytes (%v)", neutral+1, len(got), err)
		}
	}
}

func TestFileReads(t *testing.T) {
	want := sampleFiles()["war3map.j"]
	w := NewWriter(nil)
	add(t, w, `scripts\war3map.j`, want, AddOptions{Encrypt: true})
	a := open(t, write(t, w))
	f, err := a.Open("Scripts/WAR3MAP.J")
	if err != nil {
		t.Fatal(err)
	}
	if f.Size() != int64(len(want)) {
		t.Errorf("Size %d, want %d", f.Size(), len(want))
	}
	if err := iotest.TestReader(f, want); err != nil {
		t.Error(err)
	}
	// Reading a little first must not lose anything for WriteTo.
	f, err = a.Open(`scripts\war3map.j`)
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 5000)
	if _, err := io.ReadFull(f, head); err != nil {
		t.Fatal(err)
	}
	var rest bytes.Buffer
	if _, err := f.WriteTo(&rest); err != nil || !bytes.Equal(append(head, rest.Bytes()...), want) {
		t.Errorf("Read and then WriteTo lost bytes (%v)", err)
	}
	if _, err := a.Open("missing"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Open of a missing file: %v", err)
	}
}

// TestReaderFails: an error of the disk is passed on, not taken for a broken archive.
func TestReaderFails(t *testing.T) {
	w := NewWriter(nil)
	add(t, w, "a", bytes.Repeat([]byte("abc"), 5000), AddOptions{Store: true})
	good := write(t, w)
	broken := errors.New("disk on fire")
	r := &failingReader{data: good, err: broken}
	if _, err := Open(r, int64(len(good))); !errors.Is(err, broken) {
		t.Errorf("Open: %v", err)
	}
	r.err = nil
	a, err := Open(r, int64(len(good)))
	if err != nil {
		t.Fatal(err)
	}
	r.err = broken
	if _, err := a.ReadFile("a"); !errors.Is(err, broken) || errors.Is(err, ErrCorrupt) {
		t.Errorf("ReadFile: %v", err)
	}
}

type failingReader struct {
	data []byte
	err  error
}

func (r *failingReader) ReadAt(p []byte, off int64) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	return bytes.NewReader(r.data).ReadAt(p, off)
}
