package w3gs

import "testing"

func BenchmarkAppend(b *testing.B) {
	for name, p := range hotPackets() {
		b.Run(name, func(b *testing.B) {
			buf := make([]byte, 0, 4096)
			b.ReportAllocs()
			for b.Loop() {
				buf = p.AppendTo(buf[:0])
			}
			b.SetBytes(int64(len(buf)))
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for name, p := range map[string]Packet{
		"0x27": &Keepalive{Checksum: 1},
		"0x26": &OutgoingAction{Data: make([]byte, 40)},
		"0x0C": &IncomingAction{IncrementMillis: 100, Actions: AppendAction(nil, 1, make([]byte, 40))},
	} {
		frame := Frame(p.AppendTo(nil))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Decode(frame.Body()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStream reads the packets of one player, as many in a read as have
// come.
func BenchmarkStream(b *testing.B) {
	chunk := (&Keepalive{Checksum: 1}).AppendTo(nil)
	chunk = (&OutgoingAction{Data: make([]byte, 40)}).AppendTo(chunk)
	s := NewStream(MaxFrame)
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		s.Commit(copy(s.Free(), chunk))
		for {
			f, err := s.Next()
			if err != nil {
				b.Fatal(err)
			}
			if f == nil {
				break
			}
		}
	}
}
