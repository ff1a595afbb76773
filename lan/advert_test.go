package lan

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// captured is the 0x30 that a real 1.20 client sent 27 seconds after it opened
// a game: the published capture of 140 bytes.
const captured = `
	F7 30 8C 00 50 58 33 57 14 00 00 00 01 00 00 00 39 69 C2 00 E5 BD 93 E5 9C B0 E5 B1 80 E5 9F 9F
	E7 BD 91 E5 86 85 E7 9A 84 E6 B8 B8 E6 88 8F 20 28 76 73 00 00 01 03 49 07 01 01 77 01 B9 79 01
	99 D5 B9 31 4D CB 61 71 73 5D 45 6F 77 19 6F 6D 6F 61 65 5D 45 2B 6F 75 41 21 41 6D 6D 2B 73 75
	61 73 73 21 77 B1 37 2F 37 31 63 2F 77 23 33 79 01 77 73 01 01 00 0A 00 00 00 01 00 00 00 01 00
	00 00 0A 00 00 00 1B 00 00 00 E0 17`

// capturedAdvert is that game, with its host as the one player.
var capturedAdvert = Advert{
	GameID:   1,
	EntryKey: 0x00C26939,
	Name:     "当地局域网内的游戏 (vs",
	Stat: w3gs.StatString{
		Settings: 0x00064802, Width: 118, Height: 120, Checksum: 0x30B9D599,
		MapPath: `Maps\Download\DotA Allstars v6.61c.w3x`, HostName: "vs",
	},
	Port:  6112,
	Count: Count{Slots: 10, Open: 9},
}

// captured21 is the other published capture, of a 1.21 client: a full game of
// two slots, eight seconds old.
const captured21 = `
	F7 30 8B 00 50 58 33 57 15 00 00 00 01 00 00 00 39 0A E5 01 E5 BD 93 E5 9C B0 E5 B1 80 E5 9F 9F
	E7 BD 91 E5 86 85 E7 9A 84 E6 B8 B8 E6 88 8F 20 28 46 6C 00 00 01 03 49 07 01 01 55 01 D1 55 01
	0D 65 C3 9B 4D EB 61 71 73 5D 69 65 73 A1 75 5D 29 33 29 55 65 75 73 65 6F 61 73 53 75 63 61 6F
	65 2F 77 33 79 B1 01 47 6D 79 69 6F 67 1B 53 6F 6F 77 01 01 00 02 00 00 00 01 00 00 00 01 00 00
	00 01 00 00 00 08 00 00 00 E0 17`

var captured21Advert = Advert{
	GameID:   1,
	EntryKey: 0x01E50A39,
	Name:     "当地局域网内的游戏 (Fl",
	Stat: w3gs.StatString{
		Settings: 0x00064802, Width: 84, Height: 84, Checksum: 0x9BC2650C,
		MapPath: `Maps\iest\(2)TerenasStand.w3x`, HostName: "FlyingSnow",
	},
	Port:  6112,
	Count: Count{Slots: 2, Open: 0},
	age:   time.Second,
}

func TestInfoEqualsTheCaptures(t *testing.T) {
	for _, tt := range []struct {
		ad      Advert
		version uint32
		age     time.Duration
		want    string
	}{
		{capturedAdvert, 20, 27*time.Second + 999*time.Millisecond, captured},
		{captured21Advert, 21, 7 * time.Second, captured21}, // and the second of Age
	} {
		b := board{opts: &Options{Product: w3gs.ProductTFT}}
		opened := time.Unix(1000, 0)
		if err := b.open(opened, tt.ad); err != nil {
			t.Fatal(err)
		}
		got := b.lobbies[0].info(b.opts, tt.version, opened.Add(tt.age))
		if want := unhex(t, tt.want); !bytes.Equal(got, want) {
			t.Errorf("got  % X\nwant % X", got, want)
		}
		var decoded w3gs.GameInfo
		if err := decoded.Decode(unhex(t, tt.want)[4:]); err != nil || decoded.Name != tt.ad.Name || decoded.Stat != tt.ad.Stat {
			t.Errorf("decoded to %+v, %v", decoded, err)
		}
	}
}

// A name that clients would not list is cut after a whole character.
func TestLongNames(t *testing.T) {
	for name, want := range map[string]string{
		strings.Repeat("x", 31):        strings.Repeat("x", 31),
		strings.Repeat("x", 32):        strings.Repeat("x", 31),
		strings.Repeat("当", 11):        strings.Repeat("当", 10),
		"a" + strings.Repeat("é", 16):  "a" + strings.Repeat("é", 15),
		"ab" + strings.Repeat("é", 16): "ab" + strings.Repeat("é", 14),
	} {
		b := board{opts: &Options{}}
		ad := capturedAdvert
		ad.Name = name
		if err := b.open(time.Unix(0, 0), ad); err != nil || b.lobbies[0].ad.Name != want {
			t.Errorf("%q becomes %q, %v; want %q", name, b.lobbies[0].ad.Name, err, want)
		}
	}
}

// What the list shows is the same from a 0x30, 1 + slots − open, and a 0x32. A
// lobby looks full only when it is; an empty one shows one player, as it would
// with a host that plays.
func TestCount(t *testing.T) {
	for _, tt := range []struct {
		slots, open           int
		listedOpen, listedWho int
	}{
		{12, 12, 12, 1},
		{12, 11, 12, 1},
		{12, 10, 11, 2},
		{10, 4, 5, 6},
		{2, 1, 2, 1},
		{12, 1, 2, 11}, // the last free slot can still be joined
		{12, 0, 1, 12},
		{1, 1, 1, 1},
	} {
		c := Count{Slots: tt.slots, Open: tt.open}
		if got := c.listedOpen(); got != tt.listedOpen {
			t.Errorf("%+v: 0x30 lists %d open slots, want %d", c, got, tt.listedOpen)
		}
		if got := c.players(); got != tt.listedWho || got != 1+tt.slots-tt.listedOpen {
			t.Errorf("%+v: 0x32 says %d players, want %d", c, got, tt.listedWho)
		}
	}
}

func TestAdvertRefusals(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Advert)
		want   error
	}{
		"game id 0":       {func(ad *Advert) { ad.GameID = 0 }, errGameID},
		"no name":         {func(ad *Advert) { ad.Name = "" }, errName},
		"NUL in the name": {func(ad *Advert) { ad.Name = "a\x00b" }, errName},
		"NUL in the path": {func(ad *Advert) { ad.Stat.MapPath = "a\x00b" }, errStat},
		"long host name":  {func(ad *Advert) { ad.Stat.HostName = strings.Repeat("x", 256) }, errStat},
		"no slots":        {func(ad *Advert) { ad.Count = Count{} }, errCount},
		"open over slots": {func(ad *Advert) { ad.Count = Count{Slots: 2, Open: 3} }, errCount},
		"open below zero": {func(ad *Advert) { ad.Count = Count{Slots: 2, Open: -1} }, errCount},
		"no port":         {func(ad *Advert) { ad.Port = 0 }, errPort},
	} {
		b := board{opts: &Options{}}
		ad := capturedAdvert
		tt.change(&ad)
		if err := b.open(time.Unix(0, 0), ad); !errors.Is(err, tt.want) || len(b.lobbies) != 0 {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
		}
	}
}

func TestAdvertDefaults(t *testing.T) {
	b := board{opts: &Options{GamePort: 7000}}
	ad := capturedAdvert
	ad.Port, ad.Type = 0, 0
	if err := b.open(time.Unix(0, 0), ad); err != nil {
		t.Fatal(err)
	}
	if got := b.lobbies[0].ad; got.Port != 7000 || got.Type != w3gs.GameTypeCustom {
		t.Errorf("got port %d, type %#x", got.Port, got.Type)
	}
	if err := b.open(time.Unix(0, 0), ad); !errors.Is(err, errOpen) {
		t.Errorf("the same id again: got %v, want errOpen", err)
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
