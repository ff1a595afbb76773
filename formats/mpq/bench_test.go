package mpq

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
)

// bigMap is like a large map: a script and terrain in 4 KiB sectors of zlib, and 14 MB of models and sounds beside them.
func bigMap(b *testing.B, opts AddOptions) []byte {
	b.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	w := NewWriter(make([]byte, 512))
	var text []byte
	for len(text) < 1<<20 {
		text = append(text, "    call CreateUnit(Player("...)
		text = append(text, byte('0'+r.IntN(10)), byte('0'+r.IntN(10)))
		text = append(text, "), 'h00"...)
		text = append(text, byte('A'+r.IntN(26)), '\'')
		text = append(text, ", GetRandomReal(0, 100), udg_Loc, bj_UNIT_FACING)\r\n"...)
	}
	terrain := make([]byte, 1<<20)
	for i := range terrain {
		terrain[i] = byte(i % 7 * r.IntN(4))
	}
	other := make([]byte, 14<<20)
	for i := range other {
		other[i] = byte(r.Uint32())
	}
	add(b, w, "war3map.j", text, opts)
	add(b, w, "war3map.w3e", terrain, opts)
	add(b, w, "sounds.mp3", other, AddOptions{Store: true})
	return write(b, w)
}

// BenchmarkHashedFiles opens a map and unpacks what its identifiers are made from. The rate is that of the map file.
func BenchmarkHashedFiles(b *testing.B) {
	for _, c := range []struct {
		name string
		opts AddOptions
	}{{"plain", AddOptions{}}, {"encrypted", AddOptions{Encrypt: true, FixKey: true}}} {
		b.Run(c.name, func(b *testing.B) {
			data := bigMap(b, c.opts)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				a, err := Open(bytes.NewReader(data), int64(len(data)))
				if err != nil {
					b.Fatal(err)
				}
				for _, name := range []string{"war3map.j", "war3map.w3e", "war3map.w3u"} {
					f, err := a.Open(name)
					if err != nil {
						continue
					}
					if _, err := f.WriteTo(io.Discard); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkUnpack is the rate of each method, in unpacked bytes.
func BenchmarkUnpack(b *testing.B) {
	samples := sampleFiles()
	sector := samples["war3map.j"][4096:8192]
	for _, c := range []struct {
		name   string
		packed []byte
		want   int
	}{
		{"zlib", deflate(sector), len(sector)},
	} {
		b.Run(c.name, func(b *testing.B) { benchSector(b, c.packed, c.want) })
	}
	for _, g := range goldens(b) {
		if g.packing != "IMPLODE" {
			b.Run(g.packing+" "+g.file, func(b *testing.B) { benchSector(b, g.packed, len(g.unpacked)) })
		}
	}
}

func benchSector(b *testing.B, packed []byte, want int) {
	b.SetBytes(int64(want))
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		var err error
		if dst, err = expand(dst[:0], packed, want); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenSmall is what a catalogue does with each map.
func BenchmarkOpenSmall(b *testing.B) {
	data := realMap(b, "(2)EchoIsles.w3x")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		a, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := a.ReadFile("war3map.w3i"); err != nil {
			b.Fatal(err)
		}
	}
}
