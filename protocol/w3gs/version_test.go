package w3gs

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]int{
		"26": 26, "1.26": 26, "1.26a": 26, "1.26.0.6401": 26, " 1.7 ": 7, "2.0": 100, "2": 100, "2.0.1": 100, "10032": 32, "0": 0,
		"3.0": 200, "3": 200, "3.0.0.24268": 200, "10200": 200, "3.1": 201,
		"": -1, "x": -1, "1.x": -1, "-1": -1, "4.0": -1, "300": -1, "1.100": -1, "0.5": -1, "99999": -1,
	} {
		v, err := ParseVersion(text)
		got := int(v)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q is %d (%v), want %d", text, got, err, want)
		}
	}
	if got := fmt.Sprint(DefaultVersion, Version(7), VersionTwo, VersionThree); got != "1.26 1.07 2.0 3.0" {
		t.Errorf("written as %s", got)
	}
}

func TestMapLimit(t *testing.T) {
	for version, want := range map[Version]uint32{7: 4 << 20, 23: 4 << 20, 24: 8 << 20, 26: 8 << 20, 27: 128 << 20, 28: 128 << 20, 29: 0, 36: 0} {
		if got := version.MapLimit(); got != want {
			t.Errorf("%v: %d, want %d", version, got, want)
		}
	}
}

// TestChoices reads every word back from the settings that it stands for.
func TestChoices(t *testing.T) {
	for _, c := range []Choice{Speeds, Visibilities, ObserverChoices} {
		for _, word := range c.List() {
			bits, err := c.Parse(word)
			if got := c.Word(bits | ^c.Mask); err != nil || bits&^c.Mask != 0 || got != word {
				t.Errorf("%q is %#x, and that %q; %v", word, bits, got, err)
			}
		}
		if _, err := c.Parse("fastest"); err == nil {
			t.Error("any word will do")
		}
	}
}

// TestSharesLobby goes through the groups of versions for which one map check is true.
func TestSharesLobby(t *testing.T) {
	groups := [][]Version{{7}, {18}, {19, 20, 21}, {22}, {23}, {24, 25, 26, 27, 28}, {29}, {30}, {31}, {32}, {33, 34, 35, 36}, {VersionTwo}, {VersionThree}}
	for i, group := range groups {
		for j, other := range groups {
			for _, v := range group {
				for _, w := range other {
					if v.SharesLobby(w) != (i == j) {
						t.Errorf("%v with %v: %v", v, w, i != j)
					}
				}
			}
		}
	}
}

// TestLobbyPackets: a 0x06 and a 0x3D of 1.32 are in the captures (real_test.go).
func TestLobbyPackets(t *testing.T) {
	for v, want := range map[Version]string{26: `1 Maps\a.w3x`, 31: `2 Maps\a.w3x`, 32: "2 Maps/a.w3x", VersionTwo: "2 Maps/a.w3x", VersionThree: `2 Maps\a.w3x`} {
		if got := fmt.Sprint(v.JoinExtra(), " ", v.MapPath(`Maps\a.w3x`)); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

// TestLayout: forces and fixed player settings are two bits, of which the second alone exists
// from 3.0 on.
func TestLayout(t *testing.T) {
	for v, want := range map[Version]string{26: "0 0 1 3", VersionTwo: "0 0 1 3", VersionThree: "0 2 1 3"} {
		got := fmt.Sprint(v.Layout(false, false), v.Layout(false, true), v.Layout(true, false), v.Layout(true, true))
		if got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

// TestDiscovery has the numbers of the subtypes that programs for these versions
// browse; 2730 is in a captured question. 27d8 is in what 3.0 sends by UDP.
func TestDiscovery(t *testing.T) {
	for v, want := range map[Version]string{
		26: "0 1a", 29: "0 1d", 30: "1 272e", 31: "1 272f", 32: "1 2730", 33: "1 2731", 36: "1 2734", VersionTwo: "1 2774", VersionThree: "2 27d8",
	} {
		if got := fmt.Sprintf("%d %x", v.Discovery(), v.LANNumber()); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
		if back, err := ParseVersion(fmt.Sprint(v.LANNumber())); err != nil || back != v || VersionOnLAN(v.LANNumber()) != v {
			t.Errorf("%v is read back as %v, %v", v, back, err)
		}
	}
	if v := VersionOnLAN(10026); v != 10026 {
		t.Errorf("10026, which no client sends, is taken for %v", v)
	}
	all := Versions()
	if len(all) != 32 || all[0] != 7 || all[29] != 36 || all[30] != VersionTwo || all[31] != VersionThree {
		t.Errorf("there are %v", all)
	}
}

// TestLiveActions reads actions that a 3.0 client sent: sync data, then a line for the map's
// triggers and a key that was let go. Versions before 2.0.2 have other numbers for these.
func TestLiveActions(t *testing.T) {
	data, _ := hex.DecodeString("7753435f4645000000000000" + "60a3100000a31000002d646576207175696b00" + "79be0c0000be0c0000390308000d00000000000000")
	for v, want := range map[Version]string{VersionThree: "78 60 7a", VersionTwo: "78 60 7a", 36: "77?"} {
		var got []string
		for a := range v.LiveActions().Actions(data) {
			text := fmt.Sprintf("%x", a.ID)
			if !a.Known {
				text += "?"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%v: %s, want %s", v, text, want)
		}
	}
}
