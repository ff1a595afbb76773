package savedgame

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// The golden bytes were made by a Python script from the layout in docs/savedgames.md, which is that
// of savegame.cpp of GHost++ and save_game.cpp of Aura; no file of a real game was at hand.
const (
	goldenHead = "4d6170735c446f776e6c6f61645c446f744120416c6c73746172732076362e3631632e7733780000666f722066756e00000103490701017701b9790199d5b931" +
		"4dcb6171735d456f77196f6d6f61655d452b6f754121416d6d2b73756173732177b1372f3731632f7723337901777301015501010303050507ab0709090b0b0d" +
		"0d550f0f11111313000a0000000128490046000702640200000104016403640200000220015a00ff000000036001640064020101070802640564020001080101" +
		"3200ff01000109600164066402000c0c20016478563412030abebafeca"
	goldenFile = "576172637261667420494949207265636f726465642067616d651a004400000045010000010000004101000001000000505833571a000000ab170000d0471f00" +
		"3624b02af9000020cbbb7ea578daecccbd4e02411486e173765c87e52704a9ec96d8989040560cd49b88090525164612278c54bb8c32ac0397c235585942c105" +
		"68eded88e34d68f33dd59bf32567ac9eedc38d718bcc28ed6395c66996d9955adaf8b5dfe927b38eebad89e66619cf8b05118b916476bcdbf0f66b978c3fd58b" +
		"9d0e8d3b37b9514fd361db14692bcdf3b62d94b52df73ee80e9259d75df436ec2cf384598830946f328a2a955a6d52af371acd2695c9ffbe1cd12dc94007be4f" +
		"588bdf0862bea7a35fc5236bd201b32c053af4139798afe8c8c4919f4efda55a8d59afefaecf44f9b0fffe907f80000000000000000000000000000000fedf0f" +
		"000000ffff"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func example() Head {
	h := Head{
		MapPath: `Maps\Download\DotA Allstars v6.61c.w3x`, GameName: "for fun", SlotCount: 10, Type: 0x00492801, Magic: 0xCAFEBABE,
		Stat: w3gs.StatString{
			Settings: 0x00064802, Width: 118, Height: 120, Checksum: 0x30B9D599,
			MapPath: `Maps\Download\DotA Allstars v6.61c.w3x`, HostName: "vs", HasSHA1: true,
		},
		Table: w3gs.SlotTable{RandomSeed: 0x12345678, Layout: w3gs.LayoutFixedSettings, PlayerSlots: 10, Slots: []w3gs.Slot{
			{PID: 2, Download: 100, Status: w3gs.SlotOccupied, Colour: 1, Race: w3gs.RaceNightElf, AI: w3gs.AINormal, Handicap: 100},
			{PID: 3, Download: 100, Status: w3gs.SlotOccupied, Colour: 2, Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 90},
			{Download: 255, Colour: 3, Race: 0x60, AI: w3gs.AINormal, Handicap: 100},
			{Download: 100, Status: w3gs.SlotOccupied, Computer: true, Team: 1, Colour: 7, Race: w3gs.RaceUndead, AI: w3gs.AIInsane, Handicap: 100},
			{PID: 5, Download: 100, Status: w3gs.SlotOccupied, Team: 1, Colour: 8, Race: w3gs.RaceHuman, AI: w3gs.AINormal, Handicap: 50},
			{Download: 255, Status: w3gs.SlotClosed, Team: 1, Colour: 9, Race: 0x60, AI: w3gs.AINormal, Handicap: 100},
			{PID: 6, Download: 100, Status: w3gs.SlotOccupied, Team: 12, Colour: 12, Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100},
		}},
	}
	for i := range h.Stat.SHA1 {
		h.Stat.SHA1[i] = byte(i)
	}
	return h
}

func TestGolden(t *testing.T) {
	want := example()
	if b := want.AppendTo(nil); !bytes.Equal(b, unhex(t, goldenHead)) {
		t.Errorf("written:\n%x\nwant\n%s", b, goldenHead)
	}
	file := unhex(t, goldenFile)
	g, err := Read(bytes.NewReader(file))
	if err != nil || g.Doubt != nil {
		t.Fatal(err, g)
	}
	if !reflect.DeepEqual(g.Head, want) {
		t.Errorf("read:\n%+v\nwant\n%+v", g.Head, want)
	}
	if g.Version != 26 || g.Product != replay.ProductExpansion || g.Duration != 34*time.Minute+10*time.Second {
		t.Errorf("the header: %+v", g.Header)
	}
	if humans := g.Humans(); !reflect.DeepEqual(humans, []Human{{0, 2}, {1, 3}, {4, 5}, {6, 6}}) || g.MapFile() != "DotA Allstars v6.61c.w3x" {
		t.Errorf("%v of %q", humans, g.MapFile())
	}
	again, err := Read(bytes.NewReader(want.Pack(g.Header)))
	if err != nil || !reflect.DeepEqual(again.Head, want) || again.Doubt != nil || again.Duration != g.Duration {
		t.Errorf("packed and read again: %+v, %v", again, err)
	}
}

// What is behind the head is not needed, so that its beginning is enough of a large file.
func TestOnlyTheHead(t *testing.T) {
	h := example()
	stream := append(h.AppendTo(nil), bytes.Repeat([]byte("state of the engine "), 5000)...)
	file := replay.Pack(replay.Header{Program: replay.Program{Product: "W3XP", Version: 26}}, stream)
	for _, n := range []int{len(file), len(file) / 2} {
		if g, err := Read(bytes.NewReader(file[:n])); err != nil || g.Magic != h.Magic || n < len(file) && g.Doubt == nil {
			t.Errorf("%d of %d bytes: %+v, %v", n, len(file), g, err)
		}
	}
}

func TestShortened(t *testing.T) {
	whole := unhex(t, goldenHead)
	for n := range whole {
		var h Head
		if err := h.Decode(whole[:n]); !errors.Is(err, replay.ErrTruncated) {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	file := unhex(t, goldenFile)
	for n := range file {
		if _, err := Read(bytes.NewReader(file[:n])); err == nil {
			t.Fatalf("%d of %d bytes were enough", n, len(file))
		}
	}
}

func TestRefused(t *testing.T) {
	pack := func(change func(*Head)) []byte {
		h := example()
		change(&h)
		return h.Pack(replay.Header{Program: replay.Program{Product: "W3XP", Version: 26}})
	}
	spoilt := unhex(t, goldenFile)
	spoilt[60] ^= 1 // the duration, under the header's sum
	if g, err := Read(bytes.NewReader(spoilt)); err != nil || g.Doubt == nil || !strings.Contains(g.Doubt.Error(), "crc") {
		t.Errorf("a wrong sum: %v, %v", g, err)
	}
	h := example()
	for text, file := range map[string][]byte{
		"not a saved game":       []byte("PK a zip, or anything that is longer than a header of a saved game"),
		"two players have":       pack(func(h *Head) { h.Table.Slots[1].PID = 2 }),
		"has the pid 0":          pack(func(h *Head) { h.Table.Slots[1].PID = 0 }),
		"has the pid 25":         pack(func(h *Head) { h.Table.Slots[1].PID = 25 }),
		"has no players":         pack(func(h *Head) { h.Table.Slots = h.Table.Slots[2:4] }),
		"the slots":              pack(func(h *Head) { h.Table.Slots[1].Status = 3 }),
		"the map's path is long": pack(func(h *Head) { h.MapPath = strings.Repeat("a", maxText+1) }),
		"it is a replay":         replay.Pack(replay.Header{Program: replay.Program{Version: 26, Flags: replay.Multiplayer}}, h.AppendTo(nil)),
	} {
		if _, err := Read(bytes.NewReader(file)); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(unhex(f, goldenHead))
	f.Fuzz(func(t *testing.T, data []byte) {
		var h, again Head
		if h.Decode(data) != nil {
			return
		}
		if err := again.Decode(h.AppendTo(nil)); err != nil || !reflect.DeepEqual(h, again) {
			t.Errorf("%+v is written as %+v: %v", h, again, err)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(unhex(f, goldenFile))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = Read(bytes.NewReader(data)) })
}
