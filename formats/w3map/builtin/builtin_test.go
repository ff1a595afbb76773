package builtin_test

import (
	"bytes"
	"testing"

	"w3host/formats/mpq"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
	"w3host/protocol/w3gs"
)

func TestOurReaderReadsIt(t *testing.T) {
	name, data := builtin.Map()
	m, err := w3map.Read(bytes.NewReader(data), int64(len(data)), name, w3map.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != builtin.MapName || m.File != builtin.Name || m.Author != "w3host" || m.RecommendedPlayers != "2 to 10" {
		t.Errorf("texts: %q %q %q %q", m.Name, m.File, m.Author, m.RecommendedPlayers)
	}
	if m.Width != 52 || m.Height != 52 || m.Format != 25 || m.Melee || m.FixedSettings || !m.CustomForces {
		t.Errorf("got %d × %d, format %d, flags %#x", m.Width, m.Height, m.Format, m.Flags)
	}
	if len(m.Forces) != 2 || m.Forces[0].Name != "West" || m.Forces[1].Name != "East" {
		t.Errorf("forces: %+v", m.Forces)
	}
	if len(m.Slots) != 10 || m.PlayerSlots != 10 || m.Layout != w3gs.LayoutCustomForces {
		t.Fatalf("%d slots, layout %d", len(m.Slots), m.Layout)
	}
	for i, s := range m.Slots {
		want := w3gs.Slot{
			Download: 255, Status: w3gs.SlotOpen, Team: uint8(i / 5), Colour: uint8(i),
			Race: w3gs.RaceRandom | w3gs.RaceSelectable, AI: w3gs.AINormal, Handicap: 100,
		}
		if s != want {
			t.Errorf("slot %d is %+v, want %+v", i, s, want)
		}
	}
	if m.MissingScripts() == "" || len(m.Warnings) != 0 {
		t.Errorf("nothing is odd but the missing scripts: %q", m.Warnings)
	}
}

// What the game checks when it loads the files: their sizes follow from the 64 × 64 tiles.
func TestFilesHaveTheSizesOfTheField(t *testing.T) {
	_, data := builtin.Map()
	a, err := mpq.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{
		"war3map.w3e":    69 + 65*65*7,
		"war3map.wpm":    16 + 256*256,
		"war3map.shd":    256 * 256,
		"war3map.doo":    24,
		"war3mapMap.blp": 28 + 128 + 1024 + 256*256,
	} {
		got, err := a.ReadFile(name)
		if err != nil || len(got) != want {
			t.Errorf("%s has %d bytes (%v), want %d", name, len(got), err, want)
		}
	}
}

func TestScript(t *testing.T) {
	_, data := builtin.Map()
	a, _ := mpq.Open(bytes.NewReader(data), int64(len(data)))
	script, err := a.ReadFile("war3map.j")
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]string{
		{"function ", "endfunction"}, {"loop\r\n", "endloop\r\n"}, {" if ", "endif\r\n"}, {"globals\r\n", "endglobals\r\n"},
	} {
		open, end := bytes.Count(script, []byte(pair[0])), bytes.Count(script, []byte(pair[1]))
		if pair[0][0] != ' ' && pair[0] != "function " {
			open -= end // the end has the word in it, too
		}
		if open != end || end == 0 {
			t.Errorf("%d of %q, %d of %q", open, pair[0], end, pair[1])
		}
	}
	if bytes.Count(script, []byte("\n")) != bytes.Count(script, []byte("\r\n")) {
		t.Error("a line end is not CR LF")
	}
	for _, must := range []string{"function main takes nothing", "function config takes nothing", "SetPlayers(10)", "InitBlizzard()"} {
		if !bytes.Contains(script, []byte(must)) {
			t.Errorf("the script has no %q", must)
		}
	}
}
