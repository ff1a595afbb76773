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
	for _, shift := range []int{0, 3, 15} {
		for _, prefix := range [][]byte{nil, []byte("HM3W"), make([]byte, 1536)} {
			if prefix != nil && shift != defaultShift {
				continue
			}
			for _, opts := range allOptions() {
				t.Run(fmt.Sprintf("shift %d prefix %d %+v", shift, len(prefix), opts), func(t *testing.T) {
					w := NewWriter(prefix)
					if err := w.SetSectorShift(shift); err != nil {
						t.Fatal(err)
					}
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

// TestKeysAreFound opens encrypted blocks without their names.
func TestKeysAreFound(t *testing.T) {
	samples := sampleFiles()
	for i, opts := range append(allOptions(), allOptions()...) {
		if !opts.Encrypt {
			continue
		}
		w := NewWriter(nil)
		w.omitListfile()
		if i < len(allOptions()) {
			// One sector for each file, so large that nearly any table of two words may be one.
			if err := w.SetSectorShift(maxShift); err != nil {
				t.Fatal(err)
			}
		}
		add(t, w, "war3map.j", samples["war3map.j"], opts)
		add(t, w, "mono.wav", samples["mono.wav"], opts)
		a := open(t, write(t, w))
		for i, name := range []string{"war3map.j", "mono.wav"} {
			f, err := a.openBlock(i)
			if opts.SingleUnit && !opts.Store || opts.Store && name == "war3map.j" {
				if !errors.Is(err, ErrNoKey) {
					t.Errorf("%+v %s: %v, want ErrNoKey: nothing is known of its beginning", opts, name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%+v %s: %v", opts, name, err)
				continue
			}
			if got, err := f.readAll(); err != nil || !bytes.Equal(got, samples[name]) {
				t.Errorf("%+v %s: wrong bytes (%v)", opts, name, err)
			}
		}
	}
}

// TestNoKeyIsNotGuessed: with large sectors one word in 256 could be the end of a sector, so among many files without
// a table some would be taken for one, had the end not to be right.
func TestNoKeyIsNotGuessed(t *testing.T) {
	w := NewWriter(nil)
	if err := w.SetSectorShift(maxShift); err != nil {
		t.Fatal(err)
	}
	const files = 2000
	for i := range files {
		add(t, w, fmt.Sprint("file", i), script[:300], AddOptions{Encrypt: true, SingleUnit: true})
	}
	a := open(t, write(t, w))
	for i := range files {
		if _, err := a.openBlock(i); !errors.Is(err, ErrNoKey) {
			t.Errorf("block %d: %v, want ErrNoKey", i, err)
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
		{"", "needs a name", AddOptions{}},
		{"A/B", "in the archive already", AddOptions{}},
		{"c", "FixKey means nothing without Encrypt", AddOptions{FixKey: true}},
		{"c", "SectorCRC needs", AddOptions{SectorCRC: true, Store: true}},
		{"c", "SectorCRC needs", AddOptions{SectorCRC: true, SingleUnit: true}},
	} {
		if err := w.Add(c.name, nil, c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Add(%q, %+v): %v, want %q", c.name, c.opts, err, c.want)
		}
	}
	if err := w.SetSectorShift(4); err == nil {
		t.Error("SetSectorShift after Add was accepted")
	}
	if err := NewWriter(nil).SetSectorShift(16); err == nil {
		t.Error("a sector shift of 16 was accepted")
	}
}

// TestLocales: the language asked for, else neutral, else any.
func TestLocales(t *testing.T) {
	const german, korean, french = 0x407, 0x412, 0x40C
	w := NewWriter(nil)
	add(t, w, "text", []byte("german"), AddOptions{Locale: german})
	add(t, w, "text", []byte("neutral"), AddOptions{})
	add(t, w, "text", []byte("korean"), AddOptions{Locale: korean})
	add(t, w, "foreign", []byte("korean"), AddOptions{Locale: korean})
	a := open(t, write(t, w))
	for _, c := range []struct {
		name, want string
		locale     uint16
	}{
		{"text", "neutral", 0},
		{"text", "german", german},
		{"text", "korean", korean},
		{"text", "neutral", french},
		{"foreign", "korean", 0},
		{"foreign", "korean", french},
	} {
		f, err := a.openLocale(c.name, c.locale)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f); err != nil || string(got) != c.want {
			t.Errorf("%s for %#x: %q, want %q (%v)", c.name, c.locale, got, c.want, err)
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
