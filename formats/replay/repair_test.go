package replay

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// Cut at every byte, a replay becomes a good one up to its last whole block, or
// an error says that there is none.
func TestRepairOfEveryCut(t *testing.T) {
	f := &memFile{}
	playGame(t, f, 600)
	kept := time.Duration(0)
	for n := range f.data {
		var fixed memFile
		rep, err := Repair(bytes.NewReader(f.data[:n]), &fixed)
		if err != nil {
			if kept > 0 || !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrNotReplay) {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if len(rep.Faults) == 0 || rep.Kept < kept {
			t.Fatalf("cut at %d: %+v", n, rep)
		}
		kept = rep.Kept
		r := open(t, fixed.data)
		for _, finding := range Verify(r) {
			if finding.Fault {
				t.Fatalf("cut at %d: %s", n, finding.Text)
			}
		}
		if r.Duration != kept || r.time != kept {
			t.Fatalf("cut at %d: %v and %v, not %v", n, r.Duration, r.time, kept)
		}
	}
	if kept < 10*time.Second {
		t.Errorf("the longest has %v", kept)
	}
}

func TestRepairOfWholeFile(t *testing.T) {
	f := &memFile{}
	playGame(t, f, 100)
	rep, err := Repair(bytes.NewReader(f.data), &memFile{})
	if err != nil || len(rep.Faults) > 0 {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestRepairOfCutRealReplays(t *testing.T) {
	for _, ref := range realReplays(t) {
		data := readReal(t, ref.File)
		whole := inflated(t, data)
		for _, n := range []int{len(data) / 3, len(data) / 2, len(data) - 1} {
			var fixed memFile
			rep, err := Repair(bytes.NewReader(data[:n]), &fixed)
			if err != nil {
				t.Fatalf("%s at %d: %v", ref.File, n, err)
			}
			if got := inflated(t, fixed.data); !bytes.HasPrefix(whole, got) || len(rep.Faults) == 0 {
				t.Errorf("%s at %d: not its beginning, %v", ref.File, n, rep)
			}
			for _, finding := range Verify(open(t, fixed.data)) {
				if finding.Fault {
					t.Errorf("%s at %d: %s", ref.File, n, finding.Text)
				}
			}
		}
	}
}

func TestAnonymise(t *testing.T) {
	f := &memFile{}
	playGame(t, f, 100)
	for _, keep := range []bool{false, true} {
		var out memFile
		if err := Anonymise(open(t, f.data), &out, keep); err != nil {
			t.Fatal(err)
		}
		if findings := Verify(open(t, out.data)); len(findings) > 0 {
			t.Error(findings)
		}
		was, now := Summarise(open(t, f.data)), Summarise(open(t, out.data))
		if was.Actions != now.Actions || was.Duration != now.Duration || was.Winner != now.Winner || (len(now.Chat) > 0) != keep {
			t.Errorf("%+v", now)
		}
		stream := inflated(t, out.data)
		for _, p := range was.Players {
			if bytes.Contains(stream, []byte(p.Name)) {
				t.Errorf("%s is still there", p.Name)
			}
		}
	}
}

// Names that are parts of "Player 1" would breed each other if new names were searched for old ones.
func TestAnonymiseSubstitutesOnce(t *testing.T) {
	for _, tc := range []struct {
		names            []string
		before, expected string
	}{
		{[]string{"Pla", "yer"}, "Pla and yer", "Player 1 and Player 2"},
		{[]string{"Pla", "yer", "Pla", "yer", "Pla", "yer", "Pla", "yer", "Pla", "yer", "Pla", "yer"}, "Pla", "Player 1"},
		{[]string{"Player 2", "Player 1"}, "Player 1, Player 2", "Player 2, Player 1"},
		{[]string{"Ann", "Anna"}, "Anna Ann", "Player 2 Player 1"}, // the longer name fits first
	} {
		game := fourPlayers()
		game.Players, game.GameName = nil, tc.before
		for i, name := range tc.names {
			game.Players = append(game.Players, Player{PID: uint8(i + 1), Name: name, Extra: []byte{0}})
		}
		if got := anonymised(t, game, nil).Start.GameName; got != tc.expected {
			t.Errorf("%q: %q became %q, want %q", tc.names, tc.before, got, tc.expected)
		}
	}
}

// A turn, a line and a game's name that new names would make too long hold no old names either.
func TestAnonymiseWithoutRoom(t *testing.T) {
	game := fourPlayers()
	game.GameName = strings.Repeat("Bob ", maxText/4)
	chat := append([]byte{0x60, 1, 0, 0, 0, 2, 0, 0, 0}, strings.Repeat("Bob ", 15000)+"\x00"...)
	r := anonymised(t, game, w3gs.AppendAction(nil, 2, chat))
	if want := strings.Repeat("xxx ", maxText/4); r.Start.GameName != want {
		t.Errorf("the name of the game is %q", r.Start.GameName)
	}
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(rec.Body, []byte("Bob")) {
			t.Errorf("a record of kind %d still names Bob", rec.Kind)
		}
	}
}

// anonymised is a game of one turn, and a line of chat, without its names.
func anonymised(t *testing.T, game *Start, turn []byte) *Reader {
	t.Helper()
	var f, out memFile
	w, err := NewWriter(&f, HostOf(ProductExpansion, 26), game)
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Turn(100*time.Millisecond, turn)
	_ = w.Chat(Chat{PID: 1, Flag: w3gs.ChatGame, Text: strings.Repeat("Bob ", maxText/4)})
	if err := w.Close(); err != nil { // returns the first error
		t.Fatal(err)
	}
	if err := Anonymise(open(t, f.data), &out, true); err != nil {
		t.Fatal(err)
	}
	return open(t, out.data)
}

// TestAnonymiseUnfinished: the duration of a replay whose header has none is that of its turns.
func TestAnonymiseUnfinished(t *testing.T) {
	var f, out memFile
	playGame(t, &f, 100)
	h := open(t, f.data).Header
	h.FileSize, h.StreamSize, h.Blocks, h.Duration = 0, 0, 0, 0
	copy(f.data, h.AppendTo(nil))
	if err := Anonymise(open(t, f.data), &out, true); err != nil {
		t.Fatal(err)
	}
	if r := open(t, out.data); r.Duration != 10*time.Second || len(Verify(r)) > 0 {
		t.Errorf("%v, %v", r.Duration, r.Findings)
	}
}

func TestAnonymiseRealReplays(t *testing.T) {
	for _, ref := range realReplays(t) {
		data := readReal(t, ref.File)
		var out memFile
		if err := Anonymise(open(t, data), &out, true); err != nil {
			t.Fatal(err)
		}
		was, now := Summarise(open(t, data)), Summarise(open(t, out.data))
		if was.Actions != now.Actions || was.Duration != now.Duration || len(was.Chat) != len(now.Chat) || len(now.Findings) > 0 {
			t.Errorf("%s: %v", ref.File, now.Findings)
		}
		stream := inflated(t, out.data)
		for _, p := range was.Players {
			if len(p.Name) > 2 && bytes.Contains(stream, []byte(p.Name)) {
				t.Errorf("%s: %s is still there", ref.File, p.Name)
			}
		}
	}
}
