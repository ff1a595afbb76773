package host

import (
	"encoding/hex"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/formats/savedgame"
	"w3host/game"
	"w3host/internal/testkit"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/record/recording"
	"w3host/storage"
)

// fridayGame was saved by Ann (pid 3, slot 3) and Bob (pid 7, slot 1). Slot 2 was open.
func fridayGame(m *Map) *game.Restored {
	slots := []w3gs.Slot{
		{PID: 7, Download: 100, Status: w3gs.SlotOccupied, Colour: 4, Race: w3gs.RaceOrc, AI: w3gs.AINormal, Handicap: 60},
		{Download: 255, Colour: 1, Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100},
		{PID: 3, Download: 100, Status: w3gs.SlotOccupied, Team: 1, Colour: 2, Race: w3gs.RaceUndead, AI: w3gs.AINormal, Handicap: 100},
		{Download: 100, Status: w3gs.SlotOccupied, Computer: true, Team: 1, Colour: 3, Race: w3gs.RaceHuman, AI: w3gs.AIInsane, Handicap: 100},
	}
	g := &savedgame.Save{Header: replay.Header{Program: replay.HostOf("W3XP", 26)}, Head: savedgame.Head{
		MapPath: `Maps\Test\t.w3x`, GameName: "friday", Magic: 0xCAFEBABE,
		Stat: w3gs.StatString{
			Settings: 0x00064802, MapPath: `Maps\Test\t.w3x`, Checksum: m.Checksum, SHA1: m.SHA1, HasSHA1: true,
		},
		Table: w3gs.SlotTable{Slots: slots, RandomSeed: 5, Layout: w3gs.LayoutCustomForces, PlayerSlots: 4},
	}}
	return &game.Restored{Save: g, File: "friday.w3z", Players: map[int]lobby.Place{0: {Name: "Bob"}, 2: {Name: "Ann"}}}
}

// goldenSaved is the 0x30 of the lobby, made by a Python script from the table in docs/savedgames.md: the
// settings, 0 by 0, the magic number, the path of the save and the SHA-1 of the map; game type 0x200.
const goldenSaved = "f7308000505833571a000000010000004433221166726964617900000103490701010101810101bfbbffcb536b6177655d4d756de57569716d617965a1735d67" +
	"736965611b792f77337b0149476f737501010103ab03050507070909550b0b0d0d0f0f110b11131315000500000000020000010000000300000000000000e017"

// TestSavedGame opens the lobby of a saved game: it is announced as one, gives everybody the pid and
// slot that they had, and plays.
func TestSavedGame(t *testing.T) { inBubble(t, testSavedGame) }

func testSavedGame(t *testing.T) {
	a := make(adverts, 10)
	replays, err := recording.Open(recording.Options{Dir: t.TempDir(), Name: "{id}"})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *Options) { o.Advertiser, o.Replays = a, replays })
	t.Cleanup(func() { _ = replays.Close(time.Second) })
	m := testMap(4)
	saved := fridayGame(m)
	g, err := r.h.OpenFor(LobbyRequest{Name: "friday", Map: m, Restored: saved})
	if err != nil {
		t.Fatal(err)
	}
	ad := a.next(t)
	info := ad.Info(w3gs.ProductTFT, 26, 0)
	info.EntryKey, info.Port = 0x11223344, 6112
	if frame := hex.EncodeToString(info.AppendTo(nil)); frame != goldenSaved {
		t.Errorf("announced as\n%s, want\n%s", frame, goldenSaved)
	}

	ann := r.join(g, "Ann", player)
	var check w3gs.MapCheck
	if err := check.Decode(ann.Until(0x3D)[4:]); err != nil || check.Path != `Maps\Test\t.w3x` || check.Checksum != m.Checksum {
		t.Errorf("the map is checked as %+v", check)
	}
	if no := r.knock(g, "Eve", player).Next(); no[1] != 0x05 || no[4] != byte(w3gs.RejectFull) {
		t.Errorf("a stranger gets % x", no)
	}
	bob := r.join(g, "bob", player)
	if ann.PID != 3 || bob.PID != 7 {
		t.Errorf("Ann has the pid %d, Bob %d", ann.PID, bob.PID)
	}
	testkit.Eventually(t, "the slots as they were saved", func() bool {
		slots := ann.Slots()
		for i := range slots {
			was := saved.Table.Slots[i]
			if slots[i].Download = was.Download; slots[i] != was {
				return false
			}
		}
		return len(slots) == 4
	})
	r.begin(ann, bob)
	ann.Until(0x0C)
	started := recorded[storage.GameStarted](r)
	if len(started.Slots) != 3 || started.Replay != "" {
		t.Errorf("recorded %+v", started)
	}
	if created := recorded[storage.GameCreated](r); created.Settings.SavedGame != "friday.w3z" || created.Seed == 5 {
		t.Errorf("recorded %+v", created)
	}
	r.shutDown()
	if results := recordsOf[storage.PlayerResult](r); len(results) > 0 {
		t.Errorf("results of a saved game: %+v", results)
	}
}
