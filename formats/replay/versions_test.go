package replay

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// gameOf is what a version records as.
func gameOf(version Version) Program {
	g := Program{Product: ProductExpansion, Version: version, Build: 6115, Flags: Multiplayer}
	if m := version.game(); m < 32 {
		g.Build = BuildOf(int(m))
	}
	if version < 7 {
		g.Product = ""
	}
	return g
}

func TestEveryVersionIsWrittenAndRead(t *testing.T) {
	versions := []Version{10030, 10031, 10032, 10036, 10100}
	for v := range Version(30) {
		versions = append(versions, v)
	}
	for _, v := range versions {
		t.Run(v.String(), func(t *testing.T) {
			g, start, f := gameOf(v), fourPlayers(), &memFile{}
			start.Slots = start.Slots[:4]
			w, err := NewWriter(f, g, start)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 2000 { // more than one block
				w.Turn(250*time.Millisecond, w3gs.AppendAction(nil, 1, []byte{0x61, 0x61}))
				w.Checksum(uint32(i))
			}
			w.Chat(Chat{PID: 1, Flag: w3gs.ChatGame, Text: "gg"})
			for _, pid := range []uint8{2, 3, 4, 1} {
				w.Left(pid, w3gs.LeaveLost)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if findings := Verify(open(t, f.data)); len(findings) > 0 {
				t.Error(findings)
			}
			s := Summarise(open(t, f.data))
			lines := 1
			if v <= 2 {
				lines = 0
			}
			if s.Program != g || s.Turns != 2000 || s.Checksums != 2000 || s.Actions != 4000 || len(s.Chat) != lines || len(s.Leaves) != 4 || s.Played != 500*time.Second {
				t.Errorf("%+v: %d turns, %d checksums, %d actions, %d lines, %d leaves", s.Program, s.Turns, s.Checksums, s.Actions, len(s.Chat), len(s.Leaves))
			}
			if slot := s.Slots[1]; slot.PID != 2 || slot.Team != 1 || slot.Race != w3gs.RaceOrc|w3gs.RaceSelectable || slot.Handicap != 100 {
				t.Errorf("slot %+v", slot)
			}
		})
	}
}

func TestVersionNames(t *testing.T) {
	for v, want := range map[Version]string{0: "1.00", 2: "1.02", 26: "1.26", 30: "1.30", 10030: "1.30", 10036: "1.36", 10100: "2.0", 10101: "2.1", 307: "beta 307", 401: "1.401"} {
		if v.String() != want {
			t.Errorf("%d is %s, want %s", uint32(v), v, want)
		}
	}
}

// Lengths of actions that differ by version. Each is followed by an escape.
func TestActionsByVersion(t *testing.T) {
	n := func(id byte, length int) []byte { return append([]byte{id}, make([]byte, length-1)...) }
	for _, test := range []struct {
		version Version
		build   uint16
		late    bool
		data    []byte
		id      byte
	}{
		{2, 4531, false, n(0x10, 6), 0x10},
		{6, 4656, false, n(0x13, 30), 0x13},
		{7, 6031, false, n(0x10, 14), 0x10},
		{12, 6036, false, n(0x14, 43), 0x14},
		{13, 6037, false, n(0x14, 44), 0x14},
		{26, 6059, false, n(0x12, 31), 0x12},
		{6, 4656, false, n(0x62, 9), 0x62},
		{7, 6031, false, n(0x62, 13), 0x62},
		{6, 4656, false, n(0x67, 13), 0x68}, // a ping
		{6, 4656, false, n(0x69, 17), 0x6A},
		{14, 6039, false, n(0x19, 2), 0x19},
		{14, 6039, false, n(0x1D, 6), 0x1E},
		{14, 6040, false, n(0x19, 13), 0x19}, // 1.14b
		{14, 6040, false, n(0x1E, 6), 0x1E},
		{26, 6059, false, []byte("\x06saved\x00"), 0x06},
		{10032, 6105, false, []byte("\x06saved\x00again\x00\x01"), 0x06},
		{26, 6059, false, []byte("\x6Ba\x00b\x00c\x00\x01\x02\x03\x04"), 0x6B},
		{10031, 6072, false, []byte("\x78a\x00b\x00\x01\x02\x03\x04"), 0x78},
		{10100, 6115, true, []byte("\x77a\x00b\x00\x01\x02\x03\x04"), 0x78},
		{10100, 6115, true, n(0x7A, 17), 0x7B},
		{10100, 6115, false, n(0x7B, 17), 0x7B},
	} {
		r := Program{Version: test.version, Build: test.build}.rules(test.late)
		var got []w3gs.Action
		for a := range r.Actions(append(bytes.Clone(test.data), 0x61)) {
			got = append(got, a)
		}
		if len(got) != 2 || got[0].ID != test.id || !got[0].Known || len(got[0].Data) != len(test.data) || got[1].ID != 0x61 {
			t.Errorf("%v build %d: % x gives %+v", test.version, test.build, test.data, got)
		}
	}
}

// An ID that is not known ends its command block only.
func TestUnknownActionEndsItsBlock(t *testing.T) {
	r := game126.rules(false)
	var got []string
	for a := range r.Actions([]byte{0x61, 0xEE, 0x61, 0x61}) {
		got = append(got, r.Describe(a))
	}
	if want := "[0x61 escape unknown ee 61 61]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	f := &memFile{}
	w, err := NewWriter(f, game126, fourPlayers())
	if err != nil {
		t.Fatal(err)
	}
	w.Turn(100*time.Millisecond, w3gs.AppendAction(w3gs.AppendAction(nil, 1, []byte{0xEE, 0x61}), 2, []byte{0x61}))
	w.Close()
	if s := Summarise(open(t, f.data)); s.Actions != 1 || s.Commands != 2 || len(s.Findings) != 1 || s.Findings[0].Fault {
		t.Errorf("%d actions in %d blocks, %v", s.Actions, s.Commands, s.Findings)
	}
}

func TestOrdersInWords(t *testing.T) {
	r := game126.rules(false)
	right := []byte{0x12, 0x48, 0, 0x03, 0, 0x0D, 0, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0xC8, 0x42, 0, 0, 0x48, 0xC3, 255, 255, 255, 255, 255, 255, 255, 255}
	for _, test := range []struct {
		data []byte
		want string
	}{
		{order("hfoo"), "0x10 order hfoo"},
		{order("Edem"), "0x10 order Edem (Demon Hunter)"},
		{right, "0x12 order right click at 100, -200"},
		{[]byte{0x18, 0, 3}, "0x18 select group 1"},
		{[]byte{0x51, 2, 100, 0, 0, 0, 50, 0, 0, 0}, "0x51 give resources to slot 2: 100 gold, 50 lumber"},
	} {
		for a := range r.Actions(test.data) {
			if got := r.Describe(a); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		}
	}
}

// Official replays have no build number and no slots, and end in a signature.
func TestOfficialReplay(t *testing.T) {
	ladder := func(race byte) []byte { return []byte{1, 2, 3, 4, race, 0, 0, 0} }
	start := &Start{
		Players:  []Player{{PID: 1, Name: "One", Extra: ladder(1)}, {PID: 2, Name: "Two", Extra: ladder(8), Unknown: 7}, {PID: 3, Name: "Three", Extra: ladder(2), Unknown: 7}},
		GameName: "BNet", Settings: Settings{MapPath: "Maps", Rest: []byte{0}, Checksum: 0xFFFFFFFF}, Language: 7, Layout: w3gs.LayoutLadder, StartSpots: 0xCC,
	}
	f := &memFile{}
	w, err := NewWriter(f, Program{Product: ProductExpansion, Version: 18}, start)
	if err != nil {
		t.Fatal(err)
	}
	w.Turn(250*time.Millisecond, nil)
	w.Left(2, w3gs.LeaveWon)
	w.Close()
	data := append(f.data, "NGIS"...)
	data = append(data, make([]byte, 128)...)
	s := Summarise(open(t, data))
	if len(s.Findings) != 1 || s.Findings[0].Fault {
		t.Errorf("findings %v", s.Findings)
	}
	for i, p := range s.Players {
		if p.Team != i%2 || p.Slot.Race != w3gs.Race([]byte{1, 8, 2}[i]) || p.Slot.Colour != NoColour {
			t.Errorf("%+v %+v", p, p.Slot)
		}
	}
	if s.Winner != 1 || s.Players[0].Result != Lost {
		t.Errorf("winner %d", s.Winner)
	}
}
