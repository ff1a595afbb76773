package catalogue_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"w3host/formats/catalogue"
	"w3host/formats/mpq"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
)

// smallMaps fills a folder with n maps of 120 KB, each with a script of its own.
func smallMaps(b *testing.B, n int) string {
	b.Helper()
	dir := b.TempDir()
	_, small := builtin.Map()
	a, err := mpq.Open(bytes.NewReader(small), int64(len(small)))
	if err != nil {
		b.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range a.Names() {
		if files[name], err = a.ReadFile(name); err != nil {
			b.Fatal(err)
		}
	}
	picture := make([]byte, 110_000) // that does not pack
	for i := range picture {
		picture[i] = byte(i * i >> 7)
	}
	for i := range n {
		w := mpq.NewWriter(small[:512])
		for _, name := range a.Names() {
			data := files[name]
			if name == "war3map.j" {
				data = append(bytes.Clone(data), strings.Repeat(fmt.Sprintf("// map %d\r\n", i), 5000)...)
			}
			if err := w.Add(name, data, mpq.AddOptions{}); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Add("picture.blp", picture, mpq.AddOptions{Store: true}); err != nil {
			b.Fatal(err)
		}
		data, err := w.Bytes()
		if err != nil {
			b.Fatal(err)
		}
		put(b, filepath.Join(dir, fmt.Sprintf("folder %d", i%10), fmt.Sprintf("map %d.w3x", i)), data)
	}
	return dir
}

func BenchmarkOpen500(b *testing.B) {
	dir := smallMaps(b, 500)
	scripts, err := w3map.NewScripts(bytes.Repeat([]byte("native\r\n"), 20_000), bytes.Repeat([]byte("function\r\n"), 45_000))
	if err != nil {
		b.Fatal(err)
	}
	scan := func(b *testing.B, cache string) {
		c, err := catalogue.Open(b.Context(), dir, catalogue.Options{Scripts: scripts, Cache: cache})
		if err != nil || len(c.Files()) != 500 || !c.Files()[0].Map.HasChecksum {
			b.Fatal(c, err)
		}
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			scan(b, "")
		}
	})
	b.Run("warm", func(b *testing.B) {
		cache := filepath.Join(b.TempDir(), "maps.json")
		scan(b, cache)
		for b.Loop() {
			scan(b, cache)
		}
	})
}
