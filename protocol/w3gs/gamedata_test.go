package w3gs

import (
	"encoding/hex"
	"os"
	"testing"
)

// meleeData is the game data that a real client of 1.32 announced
// (wc3tools/wc3-samples, gameinfo_melee).
const meleeData = "6d656c65650000010349070101a101f1490157318b794d9b6171732f293329ad" +
	"636f6f757963613b792f77336d01519d4d415945534f41574d4549455345018501" +
	"c9e56fd757ffe58f8d8d618d39032d6f3f1bfb0b1dc3000200000009c04200803e"

var meleeGame = GameData{
	Name: "melee",
	Stat: StatString{
		Settings: 0x00064802, Width: 160, Height: 72, Checksum: 0x798B3156,
		MapPath: "Maps/(2)bootybay.w3m", HostName: "PLAYERNAMEHERE", HasSHA1: true,
		SHA1: [20]byte(unhexed("c9e46ed656ff8e8d8c608d39036e3f1bfa0b1cc2")),
	},
	Slots: 2, Type: 0x0042C009, Port: 16000,
}

func unhexed(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}

func TestGameData(t *testing.T) {
	var got GameData
	if err := got.Decode(unhexed(meleeData), 32); err != nil {
		t.Fatal(err)
	}
	if got != meleeGame {
		t.Errorf("got %+v\nwant %+v", got, meleeGame)
	}
	for _, v := range []Version{32, 36, VersionTwo} {
		if b := got.AppendTo(nil, v); string(b) != string(unhexed(meleeData)) {
			t.Errorf("%v: got  %x\nwant %s", v, b, meleeData)
		}
	}
}

// TestGameDataBefore132 has the other order, as two programs for 1.30 and 1.31 write
// it; no capture of a real client is public.
func TestGameDataBefore132(t *testing.T) {
	whole := unhexed(meleeData)
	stat := whole[len("melee")+2 : len(whole)-10]
	want := "09c04200" + hex.EncodeToString(stat) + "02000000" + hex.EncodeToString([]byte("melee\x00\x00")) + "803e"
	for _, v := range []Version{30, 31} {
		if got := hex.EncodeToString(meleeGame.AppendTo(nil, v)); got != want {
			t.Errorf("%v: got  %s\nwant %s", v, got, want)
		}
		var got GameData
		if err := got.Decode(unhexed(want), v); err != nil || got != meleeGame {
			t.Errorf("%v: got %+v, %v", v, got, err)
		}
	}
}

func TestRealGameData(t *testing.T) {
	files := realFiles(t, "lan/*.data.bin")
	if len(files) != 3 {
		t.Errorf("%d files, want 3", len(files))
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var p GameData
		if err := p.Decode(b, 32); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if got := p.AppendTo(nil, 32); string(got) != string(b) {
			t.Errorf("%s: got  %x\nwant %x", path, got, b)
		}
	}
}

func FuzzGameData(f *testing.F) {
	f.Add(unhexed(meleeData), uint32(32))
	f.Add(meleeGame.AppendTo(nil, 30), uint32(30))
	f.Fuzz(func(t *testing.T, b []byte, version uint32) {
		var p, again GameData
		if p.Decode(b, Version(version)) != nil {
			return
		}
		if err := again.Decode(p.AppendTo(nil, Version(version)), Version(version)); err != nil || again != p {
			t.Errorf("% X: %+v is read back as %+v, %v", b, p, again, err)
		}
	})
}
