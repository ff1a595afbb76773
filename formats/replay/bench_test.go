package replay

import (
	"bytes"
	"io"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// An hour of four players.
func benchGame(b *testing.B) []byte {
	f := &memFile{}
	playGame(b, f, 36000)
	return f.data
}

// All in MB of the decompressed stream, as one would compare readers.
func BenchmarkReadRecords(b *testing.B) {
	data := benchGame(b)
	b.SetBytes(int64(open(b, data).StreamSize))
	for b.Loop() {
		if err := drain(open(b, data)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSummarise(b *testing.B) {
	data := benchGame(b)
	b.SetBytes(int64(open(b, data).StreamSize))
	for b.Loop() {
		Summarise(open(b, data))
	}
}

func BenchmarkSummariseReal(b *testing.B) {
	realReplays(b)
	data := readReal(b, "w3gjs-129-standard_129_3on3_leaver.w3g")
	b.SetBytes(int64(open(b, data).StreamSize))
	for b.Loop() {
		Summarise(open(b, data))
	}
}

func BenchmarkRepair(b *testing.B) {
	data := benchGame(b)
	b.SetBytes(int64(open(b, data).StreamSize))
	for b.Loop() {
		if _, err := Repair(bytes.NewReader(data), &memFile{}); err != nil {
			b.Fatal(err)
		}
	}
}

// nowhere is a file that takes no time.
type nowhere struct{ io.Writer }

func (nowhere) WriteAt(b []byte, _ int64) (int, error) { return len(b), nil }

// A turn of ten players at three actions a second each.
func BenchmarkWriteTurn(b *testing.B) {
	w, err := NewWriter(nowhere{}, game126, fourPlayers())
	if err != nil {
		b.Fatal(err)
	}
	var actions []byte
	for pid := range uint8(3) {
		actions = w3gs.AppendAction(actions, pid+1, order("hfoo"))
	}
	b.ReportAllocs()
	for b.Loop() {
		w.Turn(100*time.Millisecond, actions)
		w.Checksum(1)
	}
}
