package game

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

// someTurn is a turn of up to three actions of players.
func someTurn(r *rand.Rand) *gamesync.Turn {
	var actions []byte
	for range r.IntN(4) {
		data := make([]byte, 15)
		data[0], data[5], data[9] = 0x16, byte(r.Uint32()), byte(r.Uint32())
		actions = w3gs.AppendAction(actions, uint8(1+r.IntN(10)), data)
	}
	return &gamesync.Turn{Increment: 100, Actions: actions}
}

// TestHistory: what is read is what was added, wherever blocks end and whenever they are packed.
func TestHistory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var h history
	var all, got []byte
	var early, late reading
	read := func(from *reading) (n int) {
		for rest := h.rest(from); len(rest) > 0; rest = h.rest(from) {
			size, lasts := nextPacket(rest)
			if lasts == 0 {
				t.Fatal("a turn that lasts no time")
			}
			got = append(got, rest[:size]...)
			from.at += size
			n++
		}
		return n
	}
	for n := range 5000 {
		turn := someTurn(r)
		h.add(turn)
		all = (&w3gs.IncomingAction{IncrementMillis: 100, Actions: turn.Actions}).AppendTo(all)
		if n%7 == 0 { // somebody who has kept up
			read(&early)
		}
	}
	if read(&early); len(h.packed) < 5 || !bytes.Equal(got, all) {
		t.Errorf("%d blocks; who reads all along has read %d bytes of %d", len(h.packed), len(got), len(all))
	}
	got = nil
	if n := read(&late); n != 5000 || !bytes.Equal(got, all) {
		t.Errorf("who comes late reads %d turns", n)
	}
}

// TestHistoryThatIsRead: turns that were handed out do not change when their block is packed meanwhile.
func TestHistoryThatIsRead(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var h history
	for len(h.packed) == 0 || len(h.open) == 0 {
		h.add(someTurn(r))
	}
	from := reading{block: 1}
	handed := h.rest(&from)
	before := bytes.Clone(handed)
	for len(h.packed) < 2 || len(h.open) < len(handed) {
		h.add(someTurn(r))
	}
	if !bytes.Equal(handed, before) {
		t.Error("what was handed out has changed")
	}
}

// TestFullHistory: what is too much is let go of.
func TestFullHistory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var h history
	h.size = mostHistory
	for !h.full {
		h.add(someTurn(r))
	}
	if h.packed != nil || h.open != nil || h.hashes != nil {
		t.Errorf("%d blocks are kept", len(h.packed))
	}
}

// BenchmarkPack packs a block of turns with random targets.
func BenchmarkPack(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var h history
	for len(h.packed) == 0 {
		h.add(someTurn(r))
	}
	var whole reading
	block := bytes.Clone(h.rest(&whole))
	for b.Loop() {
		h.packed, h.size = nil, 0
		h.open = append(h.open[:0], block...)
		h.pack()
	}
	b.ReportMetric(float64(h.size)/float64(len(block))*100, "%")
}
