package w3map

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"w3host/protocol/w3gs"
)

// w3i builds a war3map.w3i, field by field as the descriptions of the format have it.
type w3i struct{ data []byte }

func (w *w3i) u32(values ...uint32) *w3i {
	for _, v := range values {
		w.data = binary.LittleEndian.AppendUint32(w.data, v)
	}
	return w
}

func (w *w3i) f32(values ...float32) *w3i {
	for _, v := range values {
		w.u32(math.Float32bits(v))
	}
	return w
}

func (w *w3i) str(values ...string) *w3i {
	for _, v := range values {
		w.data = append(append(w.data, v...), 0)
	}
	return w
}

func (w *w3i) u8(values ...byte) *w3i {
	w.data = append(w.data, values...)
	return w
}

func (w *w3i) texts() *w3i { return w.str("name", "author", "description", "recommended") }

// end adds two players and two forces; extra is the number of words after the ally masks.
func (w *w3i) end(extra int) *w3i {
	w.u32(2)
	for i := range uint32(2) {
		w.u32(i*3, 1+i, 4-i, i).str(fmt.Sprint("player ", i)).f32(64, -64).u32(1, 2)
		for range extra {
			w.u32(0xFFFFFFFF)
		}
	}
	return w.u32(2).u32(3, 0x1).str("one").u32(0, 0xFFFFFFFE).str("two").u32(0, 0, 0, 0)
}

// infoFormats are files of every format whose layout is known; 18, 25 and 28 are checked with real maps, too.
func infoFormats() map[string][]byte {
	bounds := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	head := func(format uint32) *w3i {
		w := new(w3i).u32(format)
		if format >= 16 {
			w.u32(7, 6059)
		}
		if format >= 27 {
			w.u32(1, 32, 10, 12345)
		}
		return w.texts().f32(bounds...)
	}
	size := func(w *w3i) *w3i { return w.u32(6, 6, 4, 8, 52, 48, 0x44).u8('L') }
	tft := func(format uint32) *w3i {
		w := size(head(format)).u32(math.MaxUint32).str("model", "text", "title", "subtitle")
		w.u32(0).str("prologue", "text", "title", "subtitle")
		return w.u32(1).f32(1, 2, 3).u8(1, 2, 3, 4).u32(0).str("sound").u8('L', 1, 2, 3, 4)
	}
	roc := size(head(18)).u32(1).str("text", "title", "subtitle").u32(2).str("text", "title", "subtitle")
	late := func(format uint32, words int) *w3i { return tft(format).u32(make([]uint32, words)...) }
	return map[string][]byte{
		"8": new(w3i).u32(8).texts().u32(1, 2, 3, 4, 5, 6).f32(bounds...).
			u32(52, 48, 9, 0x44).u8('L').end(0).data,
		"10": new(w3i).u32(10).texts().f32(bounds...).u32(52, 48, 0x44).u8('L').
			str("text", "title").end(0).data,
		"15": size(new(w3i).u32(15).texts().f32(bounds...)).
			str("path", "text", "title", "subtitle", "path", "text", "title", "subtitle").end(0).data,
		"18": roc.end(0).data,
		"24, no weather but water": size(head(24)).u32(0).str("", "", "", "").u32(0).str("", "", "", "").
			u32(0, 0, 0, 0, 0).str("sound").u8('L', 255, 255, 255, 255).end(0).data,
		"25": tft(25).end(0).data,
		"26": tft(26).end(0).data,
		"28": late(28, 1).end(0).data,
		"31": late(31, 3).end(2).data,
		"32": late(32, 5).end(2).data,
		"33": late(33, 6).end(2).data,
	}
}

func TestInfoOfAllFormats(t *testing.T) {
	for name, data := range infoFormats() {
		t.Run(name, func(t *testing.T) {
			in, err := parseInfo(data)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join([]string{in.Name, in.Author, in.Description, in.RecommendedPlayers}, "|"); got != "name|author|description|recommended" {
				t.Errorf("texts %q", got)
			}
			if in.width != 52 || in.height != 48 || in.Flags != flagMelee|flagCustomForces || in.Lua || in.cut {
				t.Errorf("got %+v", in)
			}
			want := []Player{
				{0, playerHuman, raceNightElf, false, "player 0", 64, -64},
				{3, playerComputer, raceUndead, true, "player 1", 64, -64},
			}
			if fmt.Sprint(in.players) != fmt.Sprint(want) {
				t.Errorf("players %v, want %v", in.players, want)
			}
			if forces := []Force{{"one", 3, 1}, {"two", 0, 0xFFFFFFFE}}; fmt.Sprint(in.forces) != fmt.Sprint(forces) {
				t.Errorf("forces %v", in.forces)
			}
		})
	}
}

// Protectors cut off what the game does not need; nobody needs what comes after the forces.
func TestInfoThatEndsEarly(t *testing.T) {
	whole := infoFormats()["25"]
	players := strings.Index(string(whole), "player 1")
	forces := strings.Index(string(whole), "one\x00")
	for n := range whole {
		in, err := parseInfo(whole[:n])
		switch {
		case n < players && err == nil:
			t.Fatalf("%d bytes do not hold the players", n)
		case n >= forces && err != nil:
			t.Fatalf("%d bytes: %v", n, err)
		case n < len(whole)-16 && err == nil && !in.cut:
			t.Fatalf("%d bytes do not hold the forces", n)
		case n >= len(whole)-16 && in.cut:
			t.Fatalf("%d bytes hold the forces", n)
		}
	}
}

func TestInfoThatLies(t *testing.T) {
	head := func() *w3i {
		w := new(w3i).u32(25, 1, 6059).texts().u32(make([]uint32, 15)...).u8('L').u32(0).str("", "", "", "")
		return w.u32(0).str("", "", "", "").u32(0, 0, 0, 0, 0, 0).str("").u8(0, 0, 0, 0, 0)
	}
	for text, data := range map[string][]byte{
		"4294967295 players":  head().u32(math.MaxUint32).data,
		"player number 99":    head().u32(1, 99, 1, 1, 0).str("x").u32(0, 0, 0, 0).data,
		"ends too early":      head().data,
		"ends within the":     head().u32(30).data,
		"player list is miss": {},
	} {
		if _, err := parseInfo(data); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
	in, err := parseInfo(head().u32(0, math.MaxUint32).u32(1, 1).str("x").data)
	if err != nil || len(in.forces) != 1 || !in.cut {
		t.Errorf("forces without end: %+v %v", in, err)
	}
}

func TestSlots(t *testing.T) {
	players := []Player{
		{Number: 1, Type: playerHuman, Race: raceUndead},
		{Number: 2, Type: playerComputer, Race: raceNightElf},
		{Number: 3, Type: playerNeutral},
		{Number: 4, Type: playerRescuable},
		{Number: 5, Type: playerHuman, Race: 0},
	}
	forces := []Force{{Players: 0xFFFFFFDF}, {Players: 0x20}}
	human := w3gs.Slot{Download: 255, Status: w3gs.SlotOpen, Colour: 1, AI: w3gs.AINormal, Handicap: 100}
	computer := human
	computer.Download, computer.Status, computer.Computer, computer.Colour = 100, w3gs.SlotOccupied, true, 2
	other := human
	other.Colour = 5
	with := func(s w3gs.Slot, team uint8, race w3gs.Race) w3gs.Slot {
		s.Team, s.Race = team, race
		return s
	}
	const pick = w3gs.RaceSelectable
	for _, c := range []struct {
		name    string
		version w3gs.Version
		flags   Flags
		layout  w3gs.Layout
		want    []w3gs.Slot
	}{
		{"plain", 26, 0, w3gs.LayoutMelee, []w3gs.Slot{
			with(human, 0, w3gs.RaceUndead|pick), with(computer, 0, w3gs.RaceNightElf|pick), with(other, 1, w3gs.RaceRandom|pick),
		}},
		{"melee", 26, flagMelee, w3gs.LayoutMelee, []w3gs.Slot{
			with(human, 0, w3gs.RaceRandom|pick), with(computer, 1, w3gs.RaceRandom|pick), with(other, 2, w3gs.RaceRandom|pick),
		}},
		{"forces", 26, flagCustomForces, w3gs.LayoutCustomForces, []w3gs.Slot{
			with(human, 0, w3gs.RaceUndead|pick), with(computer, 0, w3gs.RaceNightElf|pick), with(other, 1, w3gs.RaceRandom|pick),
		}},
		{"fixed", 26, flagCustomForces | flagFixedSettings, w3gs.LayoutFixedSettings, []w3gs.Slot{
			with(human, 0, w3gs.RaceUndead), with(computer, 0, w3gs.RaceNightElf), with(other, 1, w3gs.RaceRandom),
		}},
		{"fixed without forces", 26, flagFixedSettings, w3gs.LayoutMelee, []w3gs.Slot{
			with(human, 0, w3gs.RaceUndead), with(computer, 0, w3gs.RaceNightElf), with(other, 1, w3gs.RaceRandom),
		}},
		{"fixed in 3.0", w3gs.VersionThree, flagCustomForces | flagFixedSettings, w3gs.LayoutFixedSettings, []w3gs.Slot{
			with(human, 0, w3gs.RaceUndead), with(computer, 0, w3gs.RaceNightElf), with(other, 1, w3gs.RaceRandom|pick),
		}},
		{"fixed without forces in 3.0", w3gs.VersionThree, flagFixedSettings, w3gs.LayoutFixedAlone, []w3gs.Slot{
			with(human, 0, w3gs.RaceUndead), with(computer, 1, w3gs.RaceNightElf), with(other, 2, w3gs.RaceRandom|pick),
		}},
	} {
		m := &Map{Version: c.version, Info: Info{Flags: c.flags}, Players: players, Forces: forces}
		m.setSlots()
		if fmt.Sprint(m.Slots) != fmt.Sprint(c.want) || m.Layout != c.layout || m.PlayerSlots != 3 || len(m.Warnings) > 0 {
			t.Errorf("%s: %v %v, want %v", c.name, m.Layout, m.Slots, c.want)
		}
	}
}

func TestObserverSlots(t *testing.T) {
	for _, c := range []struct {
		version  w3gs.Version
		editor   uint32
		settings w3gs.GameSettings
		total    int
		team     uint8
	}{
		{26, 6059, 0, 2, 0},
		{26, 6059, w3gs.ObserversOnDefeat, 2, 0},
		{26, 6059, w3gs.ObserversOn, 12, 12},
		{26, 6059, w3gs.Referees, 12, 12},
		{26, 6072, w3gs.ObserversOn, 12, 12},
		{29, 6059, w3gs.ObserversOn, 12, 24},
		{29, 6060, w3gs.ObserversOn, 24, 24},
	} {
		m := &Map{Version: c.version, Info: Info{EditorVersion: c.editor}, Players: []Player{{Number: 0, Type: 1}, {Number: 1, Type: 1}}}
		m.setSlots()
		slots := m.LobbySlots(c.settings)
		last := slots[len(slots)-1]
		if len(slots) != c.total || c.total > 2 && (last.Team != c.team || last.Colour != c.team || last.Status != w3gs.SlotOpen) {
			t.Errorf("%+v gives %d slots, the last %+v", c, len(slots), last)
		}
	}
}

func TestTooManyPlayersForTheVersion(t *testing.T) {
	m := &Map{Version: 26}
	for i := range uint32(24) {
		m.Players = append(m.Players, Player{Number: i, Type: playerHuman})
	}
	m.setSlots()
	if len(m.Slots) != 24 || len(m.LobbySlots(0)) != 12 || len(m.Warnings) != 1 {
		t.Errorf("%d slots, %d in the lobby, %q", len(m.Slots), len(m.LobbySlots(0)), m.Warnings)
	}
	m.Version = 29
	if n := len(m.LobbySlots(0)); n != 24 {
		t.Errorf("1.29 has %d in the lobby", n)
	}
}

func TestGameType(t *testing.T) {
	melee := &Map{Melee: true, Signed: true}
	if got, want := melee.GameType(w3gs.ObserversOn), w3gs.GameType(0x01|0x08|0x4000|0x8000|0x80000|0x100000); got != want {
		t.Errorf("got %#x, want %#x", got, want)
	}
	if got, want := new(Map).GameType(0), w3gs.GameType(0x01|0x2000|0x10000|0x80000|0x400000); got != want {
		t.Errorf("got %#x, want %#x", got, want)
	}
}

func TestPathStaysWithinItsBound(t *testing.T) {
	for name, want := range map[string]string{
		"dir/a.w3x":                                  "a.w3x",
		`C:\maps\a.w3x`:                              "a.w3x",
		strings.Repeat("x", 35) + ".w3x":             strings.Repeat("x", 35) + ".w3x", // just so
		strings.Repeat("x", 36) + ".w3x":             strings.Repeat("x", 35) + ".w3x",
		strings.Repeat("ж", 18) + ".w3x":             strings.Repeat("ж", 17) + ".w3x", // not half a letter
		"no ending but a long name, a very long one": "no ending but a long name, a very long ",
	} {
		m := &Map{File: baseName(name)}
		m.setPath()
		if m.Path != `Maps\Download\`+want || len(m.Path) > 53 {
			t.Errorf("%q becomes %q (%d bytes), want %q", name, m.Path, len(m.Path), want)
		}
		if long := m.File != want; long != (len(m.Warnings) > 0) {
			t.Errorf("%q: warnings %q", name, m.Warnings)
		}
	}
}

func FuzzInfo(f *testing.F) {
	for _, data := range infoFormats() {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := parseInfo(data)
		if err != nil {
			return
		}
		if len(in.players) > maxPlayers || len(in.forces) > maxForces {
			t.Fatalf("%d players, %d forces", len(in.players), len(in.forces))
		}
		m := &Map{Version: w3gs.DefaultVersion}
		m.fill(in, nil)
		if n := len(m.LobbySlots(w3gs.ObserversOn)); n > w3gs.MaxSlots {
			t.Fatalf("%d slots", n)
		}
	})
}
