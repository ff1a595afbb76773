package replay

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// TestFollow reads a game while it is written: every record comes once, and none before
// its block is full.
func TestFollow(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "game.w3g.part"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	start := &Start{Players: []Player{{PID: 1, Name: "Ann", Extra: []byte{0}}}, GameName: "x", Slots: make([]w3gs.Slot, 2), SlotCount: 2}
	w, err := NewWriter(file, HostOf(ProductExpansion, 26), start)
	if err != nil {
		t.Fatal(err)
	}
	const turns = 4000
	wrote, waits := 0, 0
	write := func() bool { // some turns, as often as there is nothing to read
		waits++
		for range 100 {
			if wrote < turns {
				wrote++
				if err := w.Turn(100*time.Millisecond, w3gs.AppendAction(nil, 1, []byte{byte(wrote), byte(wrote >> 8)})); err != nil {
					t.Fatal(err)
				}
				if err := w.Checksum(uint32(wrote)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if wrote < turns {
			return true
		}
		_ = w.Left(1, w3gs.LeaveLost)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return false
	}
	r, err := NewReader(Follow(file, write))
	if err != nil {
		t.Fatal(err)
	}
	read, left := 0, 0
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		switch rec.Kind {
		case KindTurn:
			read++
			if want := w3gs.AppendAction(nil, 1, []byte{byte(read), byte(read >> 8)}); !bytes.Equal(rec.Commands, want) {
				t.Fatalf("turn %d is % X", read, rec.Commands)
			}
		case KindLeave:
			left++
		}
	}
	if read != turns || left != 1 || waits != turns/100 {
		t.Errorf("%d turns and %d leaves after %d waits; want %d, 1 and %d", read, left, waits, turns, turns/100)
	}
}

// TestFollowFinished reads finished files to the same records as without it.
func TestFollowFinished(t *testing.T) {
	names, _ := filepath.Glob("../../../shared/testdata/replays/*.w3g")
	if len(names) == 0 {
		t.Skip("SKIP: needs real replays in ../../../shared/testdata")
	}
	bodies := func(src io.Reader) (all []byte) {
		r, err := NewReader(src)
		if err != nil {
			return nil
		}
		for rec, err := range r.Records() {
			if err != nil {
				break
			}
			all = append(append(all, rec.ID), rec.Body...)
		}
		return all
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(data, []byte(magic)) { // a Chinese platform's
			continue
		}
		if want, got := bodies(bytes.NewReader(data)), bodies(Follow(bytes.NewReader(data), func() bool { return false })); !slices.Equal(got, want) {
			t.Errorf("%s: %d bytes of records, want %d", filepath.Base(name), len(got), len(want))
		}
	}
}
