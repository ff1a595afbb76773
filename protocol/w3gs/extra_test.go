package w3gs

import (
	"bytes"
	"testing"
)

var extraGoldens = []golden{
	{name: "Profile/host", dir: FromHost, want: NewProfile(1, "HOST")},
	{name: "Profile/client", dir: FromClient, want: NewProfile(2, "PLAYER")},
	{name: "Skins", dir: FromClient, want: NewSkins(2)},
	{name: "Skins", dir: FromHost, want: NewSkins(2)},
	{name: "Skins/3.0", dir: FromHost, want: NewSkins(1)},
	{name: "Profile/3.0", dir: FromHost, want: NewProfile(1, "")},
	{name: "Pair", dir: FromClient, want: NewPair(2)},
	{name: "Units", dir: FromHost, want: &PlayerExtra{ExtraUnits, units}},
}

var units = []byte("\n\x1c\b\x01\x10\x01\x1a\b\b\xf7\xde\xd1\xc3\x06\x18\x01\x1a\b\b\xe1\xca\xc1\xc3\x06\x18\x05*\x02\b\x00" +
	"\n\x1c\b\x02\x10\x02\x1a\b\b\xe5\xe4\x9d\xfb\x06\x18\x01\x1a\b\b\xef\xca\xc1\xfb\x06\x18\x05*\x02\b\x00")

// A message outlives the frame, and keeps the fields that nobody here knows.
func TestPlayerExtraKeepsItsBytes(t *testing.T) {
	unknown := append(NewProfile(2, "x").Data, 0x78, 0x05, 0x82, 0x01, 0x01, 'z') // fields 15 and 16
	frame := (&PlayerExtra{ExtraProfile, unknown}).AppendTo(nil)
	want := bytes.Clone(frame)
	var p PlayerExtra
	if err := p.Decode(frame[HeaderSize:]); err != nil {
		t.Fatal(err)
	}
	clear(frame)
	if got := p.AppendTo(nil); !bytes.Equal(got, want) || p.PID() != 2 {
		t.Errorf("player %d, got % X\nwant % X", p.PID(), got, want)
	}
}

func TestPlayerExtraPID(t *testing.T) {
	for name, test := range map[string]struct {
		data []byte
		want uint8
	}{
		"a profile":               {NewProfile(24, "a").Data, 24},
		"said twice":              {[]byte{8, 3, 8, 3}, 3},
		"an unknown field before": {[]byte{0x78, 1, 8, 3}, 3},
		"nobody":                  {[]byte{0x12, 1, 'a'}, 0},
		"pid 0":                   {[]byte{8, 0}, 0},
		"no pid at all":           {[]byte{8, 25}, 0},
		"256 and more":            {[]byte{8, 0x82, 2}, 0},
		"two players":             {[]byte{8, 2, 8, 3}, 0},
		"a list of players":       {[]byte{0x0A, 2, 8, 2}, 0},
		"another type":            {[]byte{8, 2, 0x0A, 1, 0}, 0},
		"cut in a field":          {[]byte{8, 2, 0x12, 9, 'a'}, 0},
		"cut in a number":         {[]byte{8, 0x82}, 0},
		"empty":                   {nil, 0},
	} {
		if got := (&PlayerExtra{ExtraProfile, test.data}).PID(); got != test.want {
			t.Errorf("%s: player %d, want %d", name, got, test.want)
		}
	}
}
