package saves

import (
	"errors"
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
	"w3host/storage"
)

// folder is one with friday.w3z, of Ann (slot 1, pid 3), Bob (slot 3, pid 2) and a fake player (slot 4,
// pid 5), which the game log has; and with other.w3z of a game that it does not have.
func folder(t *testing.T) Finder {
	t.Helper()
	dir := t.TempDir()
	db, err := storage.Open(t.Context(), "sqlite:"+filepath.Join(dir, "x.db"), storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	slot := w3gs.Slot{PID: 3, Status: w3gs.SlotOccupied, Race: w3gs.RaceOrc, Handicap: 100}
	bob, fake := slot, slot
	bob.PID, bob.Colour, fake.PID, fake.Colour = 2, 2, 5, 3
	head := savedgame.Head{
		MapPath: `Maps\Download\x.w3x`, Stat: w3gs.StatString{MapPath: `Maps\Download\x.w3x`, SHA1: [20]byte{1}, HasSHA1: true},
		Table: w3gs.SlotTable{Slots: []w3gs.Slot{slot, {Colour: 1}, bob, fake}, RandomSeed: 77},
	}
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	by := replay.Header{Program: replay.HostOf("W3XP", 26)}
	write("friday.w3z", head.Pack(by))
	old := by
	old.Version = 21
	write("old.w3z", head.Pack(old))
	head.Table.Slots[2].Team = 13
	write("forged.w3z", head.Pack(by))
	head.Table.Slots[2].Team = 0
	head.Table.RandomSeed = 78
	write("other.w3z", head.Pack(by))
	write("text.w3z", []byte(strings.Repeat("no saved game ", 100)))
	f, err := os.Create(filepath.Join(dir, "other.w3g"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := replay.NewWriter(f, replay.HostOf("W3XP", 26), &replay.Start{
		Players:  []replay.Player{{PID: 1, Name: "Host"}, {PID: 3, Name: "Cid"}, {PID: 2, Name: "Dee"}, {PID: 5, Name: "Eve"}},
		Settings: replay.Settings{MapPath: "x"}, Slots: head.Table.Slots, RandomSeed: 78,
	})
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	key := storage.NewGameKey()
	if err := db.Apply(t.Context(), storage.Batch{HostID: key.String(), Run: key.String(), Records: []storage.SequencedRecord{
		{Seq: 1, Record: storage.GameCreated{Game: key, At: time.Now(), Seed: 77, Map: storage.MapID{SHA1: storage.SHA1{1}}}},
		{Seq: 2, Record: storage.GameStarted{Game: key, At: time.Now(), Slots: []storage.StartedSlot{
			{Slot: 0, PID: 3, Occupant: storage.OccupantPlayer, Name: "Ann", Realm: "Home"},
			{Slot: 2, PID: 2, Occupant: storage.OccupantPlayer, Name: "Bob"},
			{Slot: 3, PID: 5, Occupant: storage.OccupantFake, Name: "Fake 1"},
		}}},
	}}); err != nil {
		t.Fatal(err)
	}
	return Finder{
		DB: db, Dir: func() string { return dir }, Product: func() w3gs.Product { return w3gs.ProductTFT }, Versions: func() []w3gs.Version { return []w3gs.Version{26, 27} },
		Map: func(h *savedgame.Head, _ w3gs.Version) (*host.Map, error) {
			if h.Stat.SHA1[0] != 1 {
				return nil, errors.New("no such map")
			}
			return &host.Map{}, nil
		},
	}
}

func TestOpen(t *testing.T) {
	f := folder(t)
	for _, c := range []struct {
		ask  control.SavedGame
		want string // players, or a part of the refusal
	}{
		{control.SavedGame{File: "friday.w3z"}, "1 Ann@Home, 3 Bob, 4 Fake 1 (fake)"},
		{control.SavedGame{File: "friday.w3z", Players: map[int]string{2: "Rob@Home"}}, "1 Ann@Home, 3 Rob@Home, 4 Fake 1 (fake)"},
		{control.SavedGame{File: "friday.w3z", Players: map[int]string{0: "A", 2: "B", 3: "C"}}, "1 A, 3 B, 4 C"},
		{control.SavedGame{File: "friday.w3z", Players: map[int]string{2: "ann"}}, "ann cannot have two slots"},
		{control.SavedGame{File: "friday.w3z", Players: map[int]string{1: "Cid"}}, "slot 2 of the game had no player"},
		{control.SavedGame{File: "friday.w3z", Replay: "other.w3g"}, "is a replay of another game"},
		{control.SavedGame{File: "other.w3z"}, "the players of the slots 1, 3, 4 are unknown"},
		{control.SavedGame{File: "other.w3z", Players: map[int]string{0: "A", 2: "B"}}, "the players of the slots 4 are unknown"},
		{control.SavedGame{File: "other.w3z", Replay: "other.w3g"}, "1 Cid, 3 Dee, 4 Eve"},
		{control.SavedGame{File: "other.w3z", Replay: "friday.w3z"}, "not a Warcraft III replay"},
		{control.SavedGame{File: "none.w3z"}, "there is no file"},
		{control.SavedGame{File: "../friday.w3z"}, "is not in the folder"},
		{control.SavedGame{File: filepath.Join(f.Dir(), "friday.w3z")}, "is not in the folder"},
		{control.SavedGame{File: filepath.Join(f.Dir(), "friday.w3z"), Anywhere: true}, "1 Ann@Home, 3 Bob, 4 Fake 1 (fake)"},
		{control.SavedGame{File: "forged.w3z"}, "its slots are not possible in version 1.26"},
		{control.SavedGame{File: "text.w3z"}, "not a saved game"},
		{control.SavedGame{File: "old.w3z"}, "the game is of W3XP 1.21, and this host plays W3XP 1.26, 1.27"},
	} {
		r, m, err := f.Open(t.Context(), c.ask)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v, want %s", c.ask, err, c.want)
			}
			continue
		}
		if got := players(r); got != c.want || m == nil || r.By != 26 || r.File != filepath.Base(c.ask.File) {
			t.Errorf("%+v: %s of %s, want %s", c.ask, got, r.File, c.want)
		}
	}
}

// A file with a wrong sum can be read, but whoever opens its lobby has to know.
func TestOpenDamaged(t *testing.T) {
	f := folder(t)
	path := filepath.Join(f.Dir(), "friday.w3z")
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []bool{false, true} {
		if damaged {
			file[0x40] ^= 1 // the header's sum
		}
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		r, _, err := f.Open(t.Context(), control.SavedGame{File: "friday.w3z"})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Doubt != nil; got != damaged {
			t.Errorf("it is damaged: %v (%v), want %v", got, r.Doubt, damaged)
		}
	}
}

// Without the database nobody is left out by mistake.
func TestOpenWithoutDatabase(t *testing.T) {
	f := folder(t)
	_ = f.DB.Close()
	if _, _, err := f.Open(t.Context(), control.SavedGame{File: "friday.w3z"}); err == nil || !strings.Contains(err.Error(), "database") {
		t.Errorf("%v", err)
	}
	if _, _, err := f.Open(t.Context(), control.SavedGame{File: "friday.w3z", Players: map[int]string{0: "A", 2: "B", 3: "C"}}); err != nil {
		t.Error(err)
	}
}

// players says who had which slot.
func players(r *game.Restored) string {
	var list []string
	for _, h := range r.Humans() {
		p := r.Players[h.Slot]
		text := fmt.Sprintf("%d %s", h.Slot+1, p.Name)
		if p.Realm != "" {
			text += "@" + p.Realm
		}
		if p.Fake {
			text += " (fake)"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}
