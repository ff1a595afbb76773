package saves

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/control"
	"w3host/formats/replay"
	"w3host/formats/savedgame"
	"w3host/game"
	"w3host/host"
	"w3host/protocol/w3gs"
)

// record writes the replay of a game of two minutes with the seed, in which Bob leaves after one, and in one
// that is called alone Ann, too.
func record(t *testing.T, file string, by replay.Program, seed uint32, change func(*replay.Start)) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	slot := w3gs.Slot{PID: 3, Status: w3gs.SlotOccupied, Race: w3gs.RaceOrc, Handicap: 100}
	bob, fake := slot, slot
	bob.PID, bob.Colour, fake.PID, fake.Colour = 2, 2, 5, 3
	start := &replay.Start{
		Players: []replay.Player{{PID: 3, Name: "Ann"}, {PID: 2, Name: "Bob"}, {PID: 5, Name: "Fake 1"}}, GameName: "friday",
		Settings: replay.Settings{MapPath: `Maps\Download\x.w3x`, Rest: append([]byte{0, 1}, make([]byte, 19)...)},
		Slots:    []w3gs.Slot{slot, {Colour: 1}, bob, fake}, RandomSeed: seed, Layout: w3gs.LayoutMelee, StartSpots: 4,
	}
	if change != nil {
		change(start)
	}
	w, err := replay.NewWriter(f, by, start)
	for n := range 1200 {
		if n == 600 && err == nil {
			err = w.Left(2, w3gs.LeaveLost)
			if start.GameName == "alone" {
				err = w.Left(3, w3gs.LeaveLost)
			}
		}
		if err == nil {
			err = w.Turn(100*time.Millisecond, nil)
		}
	}
	if err == nil {
		err = w.Left(3, w3gs.LeaveLost)
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
}

// players tells who had which slot.
func players(r *game.Restored) string {
	var list []string
	for _, h := range r.Humans() {
		p := r.Players[h.Slot]
		text := fmt.Sprintf("%d %s", h.Slot+1, p.Name)
		if p.Realm != "" {
			text += "@" + p.Realm
		}
		if p.Gone {
			text += " (gone)"
		} else if p.Fake {
			text += " (fake)"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// TestOpenRecord: a replay is found, with its map and its players, or the refusal says why not.
func TestOpenRecord(t *testing.T) {
	f := folder(t)
	by := replay.HostOf("W3XP", 26)
	at := func(name string) string { return filepath.Join(f.Dir(), name) }
	if err := os.Mkdir(f.Replays(), 0o755); err != nil {
		t.Fatal(err)
	}
	record(t, at("friday.w3g"), by, 77, nil)
	record(t, at("elsewhere.w3g"), by, 99, nil)
	record(t, filepath.Join(f.Replays(), "evening.w3g"), by, 99, nil)
	record(t, at("old.w3g"), replay.HostOf("W3XP", 21), 99, nil)
	record(t, at("othermap.w3g"), by, 99, func(s *replay.Start) { s.Settings.Rest[1] = 2 })
	record(t, at("twins.w3g"), by, 99, func(s *replay.Start) { s.Players[1].Name = "ann" })
	record(t, at("ladder.w3g"), by, 99, func(s *replay.Start) { s.Slots = nil })
	record(t, at("alone.w3g"), by, 77, func(s *replay.Start) { s.GameName = "alone" })
	versions := f.Versions()
	f.Versions = func() []w3gs.Version { return append(versions, w3gs.ReforgedVersion) }
	record(t, at("reforged.w3g"), replay.HostOf("W3XP", int(w3gs.ReforgedVersion)), 99, nil)
	whole, err := os.ReadFile(at("elsewhere.w3g"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"text.w3g": []byte(strings.Repeat("no replay ", 100)), "cut.w3g": whole[:len(whole)/2]} {
		if err := os.WriteFile(at(name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		ask  control.SavedGame
		want string // players and when it goes on, or a part of the refusal
	}{
		{control.SavedGame{File: "friday.w3g"}, "1 Ann@Home, 3 Bob (gone), 4 Fake 1 (fake), at 2m0s"},
		{control.SavedGame{File: "friday.w3g", From: time.Minute}, "1 Ann@Home, 3 Bob, 4 Fake 1 (fake), at 1m0s"},
		{control.SavedGame{File: "elsewhere.w3g", From: 61 * time.Second}, "1 Ann, 3 Bob (gone), 4 Fake 1, at 1m1s"},
		{control.SavedGame{File: "elsewhere.w3g", Players: map[int]string{0: "Zoe@Home"}}, "1 Zoe@Home, 3 Bob (gone), 4 Fake 1, at 2m0s"},
		{control.SavedGame{File: "evening.w3g"}, "1 Ann, 3 Bob (gone), 4 Fake 1, at 2m0s"},
		{control.SavedGame{File: at("elsewhere.w3g"), Anywhere: true}, "1 Ann, 3 Bob (gone), 4 Fake 1, at 2m0s"},
		{control.SavedGame{File: "friday.w3g", From: 3 * time.Minute}, "friday.w3g: the record ends at 2:00, before 3:00"},
		{control.SavedGame{File: "friday.w3g", Players: map[int]string{2: "Rob"}}, "slot 3 has nobody any more: its player has left before 2:00"},
		{control.SavedGame{File: "friday.w3g", Players: map[int]string{1: "Cid"}}, "nobody played in slot 2"},
		{control.SavedGame{File: "elsewhere.w3g", Players: map[int]string{0: "bob"}}, "Bob cannot have two slots"},
		{control.SavedGame{File: "twins.w3g"}, "ann cannot have two slots"},
		{control.SavedGame{File: "none.w3g"}, "there is no file"},
		{control.SavedGame{File: "../evening.w3g"}, "is not in the folder"},
		{control.SavedGame{File: "text.w3g"}, "text.w3g: not a Warcraft III replay"},
		{control.SavedGame{File: "cut.w3g"}, "cut.w3g: the file ends too early"},
		{control.SavedGame{File: "old.w3g"}, "the game is of W3XP 1.21, and this host plays W3XP 1.26, 1.27"},
		{control.SavedGame{File: "reforged.w3g"}, "games of 1.32 do not go on from their replays: those of 1.07 to 1.31 do"},
		{control.SavedGame{File: "othermap.w3g"}, "the map of the game, x.w3x, is not here, or is another version of it"},
		{control.SavedGame{File: "alone.w3g"}, "alone.w3g: nobody is left to play at 2:00: name a time before that"},
		{control.SavedGame{File: "ladder.w3g"}, "nobody played"},
	} {
		r, m, err := f.Open(t.Context(), c.ask)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v, want %s", c.ask, err, c.want)
			}
			continue
		}
		got := fmt.Sprintf("%s, at %v", players(r), r.Record.Length)
		if got != c.want || m == nil || r.By != 26 || r.File != filepath.Base(c.ask.File) || r.Table.Layout != w3gs.LayoutMelee {
			t.Errorf("%+v: %s of %s, want %s", c.ask, got, r.File, c.want)
		}
	}
}

// TestOpenRealRecords: real replays are read and offered where their map is there.
func TestOpenRealRecords(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/testdata/replays/*.w3g")
	if len(files) == 0 {
		t.Skip("SKIPPED: no real replays")
	}
	f := folder(t)
	f.Versions = func() (all []w3gs.Version) {
		for v := w3gs.FirstVersion; !v.Reforged(); v++ {
			all = append(all, v)
		}
		return all
	}
	f.Map = func(*savedgame.Head, w3gs.Version) (*host.Map, error) { return &host.Map{}, nil }
	offered := 0
	for _, file := range files {
		r, _, err := f.Open(t.Context(), control.SavedGame{File: file, Anywhere: true, From: 2 * time.Minute})
		if err != nil {
			t.Logf("%s: %v", filepath.Base(file), err)
			continue
		}
		offered++
		t.Logf("%s: %d players, at %v", filepath.Base(file), len(r.Players), r.Record.Length)
	}
	if offered < 4 {
		t.Errorf("%d of %d are offered", offered, len(files))
	}
}
