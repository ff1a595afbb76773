package mpq

import (
	"bytes"
	"errors"
	"testing"
)

// TestRefusals: what is not readable is refused with a sentence that says why.
func TestRefusals(t *testing.T) {
	sector := func(pack func([]byte) []byte) func(t *testing.T) []byte {
		return func(t *testing.T) []byte {
			w := NewWriter(nil)
			if err := w.add("war3map.j", script[:4000], AddOptions{}, flagCompressed, pack); err != nil {
				t.Fatal(err)
			}
			return write(t, w)
		}
	}
	forgery := func(opts AddOptions, change func(f *forged)) func(t *testing.T) []byte {
		return func(t *testing.T) []byte {
			f := forge(t, 512, opts)
			change(f)
			return f.bytes()
		}
	}
	for _, c := range []struct {
		name string
		make func(t *testing.T) []byte
		want error
		text string
	}{
		{
			"a zlib bomb", sector(func(s []byte) []byte { return deflate(make([]byte, 1<<20)) }), ErrCorrupt,
			"mpq: war3map.j (at byte 32): sector 1 of 1: corrupt data: it unpacks to more than it claims",
		},
		{
			"a zlib stream that is one byte longer than it says", sector(func(s []byte) []byte { return deflate(append(bytes.Clone(s), 0)) }),
			ErrCorrupt, "unpacks to more",
		},
		{"zlib data that is cut off", sector(func(s []byte) []byte { p := deflate(s); return p[:len(p)/2] }), ErrCorrupt, "its packed data ends early"},
		{"an unknown method", sector(func([]byte) []byte { return []byte("\x04abc") }), ErrUnsupported, "mask 04"},
		{"sparse data", sector(func([]byte) []byte { return []byte("\x20\x00\x00\x01\x36\x7f\x7f") }), ErrUnsupported, "sparse data (mask 20), which Warcraft III cannot read"},
		{"sparse data in zlib", sector(func([]byte) []byte { return []byte("\x22\x78\x9c") }), ErrUnsupported, "sparse data (mask 22)"},
		{"LZMA", sector(func([]byte) []byte { return []byte("\x12\x5d\x00\x00\x00\x01") }), ErrUnsupported, "LZMA (mask 12), which Warcraft III cannot read"},
		{"sound", sector(func([]byte) []byte { return []byte("\x41\x00\x04") }), ErrSound, "compressed as sound, which is not supported (mask 41)"},
		{"no method", sector(func([]byte) []byte { return []byte("\x00abc") }), ErrUnsupported, "mask 00"},
		{"a sector beyond the end", forgery(AddOptions{}, func(f *forged) {
			d := f.fileData(0)
			for i := range 6 {
				d.put32(i*4, d.u32(i*4)+1<<20)
			}
		}), ErrCorrupt, "the archive ends at"},
		{"a sector table that runs backwards", forgery(AddOptions{}, func(f *forged) { f.fileData(0).put32(4, 1) }), ErrCorrupt, "sector 1 would have"},
		{"a wrong checksum", forgery(AddOptions{SectorCRC: true}, func(f *forged) { f.fileData(0)[200] ^= 1 }), ErrCorrupt, "checksum is"},
		{"a wrong checksum of an encrypted sector", forgery(AddOptions{SectorCRC: true, Encrypt: true, FixKey: true}, func(f *forged) { f.fileData(0)[200] ^= 1 }), ErrCorrupt, "checksum is"},
		{"a stored file that runs past the end", forgery(AddOptions{Store: true}, func(f *forged) { f.block(0).put32(8, 1<<20) }), ErrCorrupt, "the archive ends at"},
		{"a file of 4 GiB", forgery(AddOptions{}, func(f *forged) { f.block(0).put32(8, 0xFFFFFFFF) }), ErrTooLarge, "4294967295 bytes in an archive of"},
		{"a wrong encryption flag", forgery(AddOptions{}, func(f *forged) { f.setFlags(0, f.block(0).u32(12)|flagEncrypted) }), ErrCorrupt, "sector"},
		{"a file with a method that does not exist", forgery(AddOptions{}, func(f *forged) { f.setFlags(0, flagExists|0x1000) }), ErrUnsupported, "flags 80001000"},
		{"a missing file", forgery(AddOptions{}, func(f *forged) { f.setFlags(0, 0) }), ErrNotFound, "mpq: war3map.j: no such file in the archive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := open(t, c.make(t)).ReadFile("war3map.j")
			var e *Error
			if !errors.Is(err, c.want) || !errors.As(err, &e) || !bytes.Contains([]byte(err.Error()), []byte(c.text)) {
				t.Errorf("got  %v\nwant %v, saying %q", err, c.want, c.text)
			}
		})
	}
}

// TestChecksum: Adler-32 begun at 0, worked out by hand.
func TestChecksum(t *testing.T) {
	for data, want := range map[string]uint32{"": 0, "a": 0x00610061, "abc": 0x024A0126} {
		if got := adlerFromZero([]byte(data)); got != want {
			t.Errorf("%q: %08x, want %08x", data, got, want)
		}
	}
	long := bytes.Repeat([]byte{0xFF}, 70_000)
	var low, high uint32
	for _, b := range long {
		low = (low + uint32(b)) % 65521
		high = (high + low) % 65521
	}
	if got := adlerFromZero(long); got != high<<16|low {
		t.Errorf("70,000 bytes: %08x, want %04x%04x", got, high, low)
	}
}

func TestNoArchive(t *testing.T) {
	for name, data := range map[string][]byte{
		"nothing":        nil,
		"a short header": []byte("MPQ\x1A\x20\x00\x00\x00"),
		"text":           bytes.Repeat([]byte("war3"), 5000),
		"user data that points to what is no header": append([]byte("MPQ\x1B\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00MPQ?\x20\x00\x00\x00"), bytes.Repeat([]byte{1, 0, 0, 0}, 50)...),
		"headers everywhere":                         bytes.Repeat(append([]byte("MPQ\x1A\x20\x00\x00\x00"), make([]byte, 504)...), 300),
	} {
		if _, err := Open(bytes.NewReader(data), int64(len(data))); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v, want ErrFormat", name, err)
		}
	}
	// An archive without files is one all the same.
	w := NewWriter(nil)
	w.unlisted = true
	if a := open(t, write(t, w)); len(a.Names()) != 0 || a.blocks.len() != 0 {
		t.Error("an empty archive has files")
	}
}

// TestTruncated cuts an archive off at each byte: an error or the right bytes, never wrong ones.
func TestTruncated(t *testing.T) {
	f := forge(t, 0, AddOptions{Encrypt: true, SectorCRC: true})
	whole := f.bytes()
	for n := range whole {
		a, err := Open(bytes.NewReader(whole[:n]), int64(n))
		if err != nil {
			continue
		}
		if data, err := a.ReadFile("war3map.j"); err == nil && !bytes.Equal(data, script) {
			t.Fatalf("cut at %d of %d: wrong bytes and no error", n, len(whole))
		}
	}
}
