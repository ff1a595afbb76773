package mapxfer

import (
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// headers is a sink that builds the headers of all parts.
type headers struct {
	printer
	parts  *Parts
	header []byte
}

func (h *headers) Parts(pid uint8, off, end uint32) {
	for ; off < end; off = h.parts.End(off) {
		h.header = h.parts.appendHeader(h.header[:0], off, pid, 1)
	}
}

func (h *headers) Percent(uint8, uint8) {}

// BenchmarkPart is what one part costs beside the socket: acknowledgement in,
// parts out, header built.
func BenchmarkPart(b *testing.B) {
	for _, bc := range []struct {
		name    string
		cfg     Config
		players int
	}{
		{"one", Config{}, 1},
		{"twenty", Config{}, 20},
		{"twenty, total rate", Config{TotalRate: 1 << 34}, 20},
	} {
		b.Run(bc.name, func(b *testing.B) {
			parts := mustParts(b, randomMap(64<<20))
			bc.cfg.Size = parts.size()
			bc.cfg.MaxWindow = maxWindow
			var s *Scheduler
			var held [32]uint32
			sink := headers{parts: parts, header: make([]byte, 0, HeaderLen)}
			now := time.Duration(0)
			start := func() {
				s, held = New(bc.cfg, &sink), [32]uint32{}
				for i := range bc.players {
					s.Report(now, uint8(2+i), w3gs.MapSize{Flag: w3gs.MapHave})
				}
			}
			start()
			for off := uint32(0); off < parts.size(); off = parts.End(off) {
				parts.sum(off)
			}
			b.SetBytes(PartLen)
			b.ReportAllocs()
			pid := 0
			for b.Loop() {
				now += 10 * time.Microsecond
				held[pid] = parts.End(held[pid])
				if held[pid] == parts.size() {
					b.StopTimer()
					start()
					held[pid] = PartLen
					b.StartTimer()
				}
				me := uint8(2 + pid)
				s.Measured(now, me, Figures{RTT: time.Millisecond, MinRTT: time.Millisecond})
				s.Ack(now, me, w3gs.MapPartOK{To: 1, From: me, Size: held[pid]})
				pid = (pid + 1) % bc.players
			}
		})
	}
}

// BenchmarkFrame is one whole frame copied into a buffer, and its first CRC.
func BenchmarkFrame(b *testing.B) {
	data := randomMap(16 << 20)
	b.Run("known", func(b *testing.B) {
		p := mustParts(b, data)
		b.SetBytes(PartLen)
		b.ReportAllocs()
		var dst []byte
		for off := uint32(0); b.Loop(); off = p.End(off) % p.size() {
			dst = p.AppendFrame(dst[:0], off, 2, 1)
		}
	})
	b.Run("first", func(b *testing.B) {
		p := mustParts(b, data)
		b.SetBytes(PartLen)
		b.ReportAllocs()
		var dst []byte
		for off := uint32(0); b.Loop(); off = p.End(off) % p.size() {
			p.sums[off/PartLen].Store(0)
			dst = p.appendHeader(dst[:0], off, 2, 1)
		}
	})
}

// TestNoAllocations: the steady state of a download allocates nothing.
func TestNoAllocations(t *testing.T) {
	parts := mustParts(t, randomMap(16<<20))
	s := New(Config{Size: parts.size(), MaxWindow: maxWindow}, &headers{parts: parts, header: make([]byte, 0, HeaderLen)})
	s.Report(0, 2, w3gs.MapSize{Flag: w3gs.MapHave})
	now, held := time.Duration(0), uint32(0)
	allocs := testing.AllocsPerRun(5000, func() {
		now += 100 * time.Microsecond
		held = parts.End(held)
		s.Ack(now, 2, w3gs.MapPartOK{To: 1, From: 2, Size: held})
		s.Tick(now)
		s.Next()
	})
	if allocs != 0 {
		t.Errorf("%v allocations per part", allocs)
	}
}
