package lan

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"w3host/w3gs"
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

func TestInfoEqualsTheCapture(t *testing.T) {
	b := board{opts: &Options{Product: w3gs.ProductTFT, Version: 20}}
	opened := time.Unix(1000, 0)
	if err := b.open(opened, capturedAdvert); err != nil {
		t.Fatal(err)
	}
	got := b.lobbies[0].info(b.opts, opened.Add(27*time.Second+999*time.Millisecond))
	if want := unhex(t, captured); !bytes.Equal(got, want) {
		t.Errorf("got  % X\nwant % X", got, want)
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
		"game id 0":       {func(ad *Advert) { ad.GameID = 0 }, ErrGameID},
		"no name":         {func(ad *Advert) { ad.Name = "" }, ErrName},
		"32 bytes":        {func(ad *Advert) { ad.Name = strings.Repeat("x", 32) }, ErrName},
		"NUL in the name": {func(ad *Advert) { ad.Name = "a\x00b" }, ErrName},
		"NUL in the path": {func(ad *Advert) { ad.Stat.MapPath = "a\x00b" }, ErrStat},
		"long host name":  {func(ad *Advert) { ad.Stat.HostName = strings.Repeat("x", 256) }, ErrStat},
		"no slots":        {func(ad *Advert) { ad.Count = Count{} }, ErrCount},
		"open over slots": {func(ad *Advert) { ad.Count = Count{Slots: 2, Open: 3} }, ErrCount},
		"open below zero": {func(ad *Advert) { ad.Count = Count{Slots: 2, Open: -1} }, ErrCount},
		"no port":         {func(ad *Advert) { ad.Port = 0 }, ErrPort},
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
	if err := b.open(time.Unix(0, 0), ad); !errors.Is(err, ErrOpen) {
		t.Errorf("the same id again: got %v, want ErrOpen", err)
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
