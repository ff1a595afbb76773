package mpq

import (
	"bytes"
	"sync"
	"testing"
)

// TestArchivesSideBySide is for the race detector: archives that are written and read at the
// same time share pools of compressors, decompressors and buffers.
func TestArchivesSideBySide(t *testing.T) {
	samples := sampleFiles()
	for name, data := range samples {
		samples[name] = data[:min(len(data), 20_500)]
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for _, opts := range []AddOptions{{}, {Encrypt: true, SectorCRC: true}} {
				w := NewWriter(nil)
				for name, data := range samples {
					if err := w.Add(name, data, opts); err != nil {
						t.Error(err)
					}
				}
				raw, err := w.Bytes()
				if err != nil {
					t.Error(err)
					return
				}
				a, err := Open(bytes.NewReader(raw), int64(len(raw)))
				if err != nil {
					t.Error(err)
					return
				}
				for name, want := range samples {
					if got, err := a.ReadFile(name); err != nil || !bytes.Equal(got, want) {
						t.Errorf("%s: %d bytes, want %d: %v", name, len(got), len(want), err)
					}
				}
			}
		})
	}
	all.Wait()
	for _, g := range goldens(t) { // the pools of the other decompressors
		for range 2 {
			all.Go(func() {
				if got, err := g.unpack(g.packed, len(g.unpacked)); err != nil || !bytes.Equal(got, g.unpacked) {
					t.Errorf("%s %s: %v", g.packing, g.file, err)
				}
			})
		}
	}
	all.Wait()
}
