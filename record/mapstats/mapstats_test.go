package mapstats

import (
	"encoding/binary"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

var roster = []Player{{PID: 2, Name: "Alice", Colour: 1}, {PID: 3, Name: "Bob Two", Colour: 7}}

func sync(file, mission, key string, value uint32) []byte {
	b := append([]byte{0x6B}, file+"\x00"+mission+"\x00"+key+"\x00"...)
	return binary.LittleEndian.AppendUint32(b, value)
}

// message is what a client sends for the library of W3MMD: the text, and its checksum.
func message(n int, text string) []byte {
	number, sum := strconv.Itoa(n), uint32(41*n+len(text))
	return append(sync("MMD.Dat", "val:"+number, text, sum), sync("MMD.Dat", "chk:"+number, number, sum)...)
}

// An order whose coordinates hold the byte 0x6B and the text of a report must
// not be taken for one, and the report behind it must be found.
func TestActionsAreWalkedByLength(t *testing.T) {
	order := append([]byte{0x11, 0, 0, 0x6B, 'd', 'r', '.'}, make([]byte, 16)...)
	order[7], order[8] = 'x', 0x6B
	selection := append([]byte{0x16, 1, 2, 0}, make([]byte, 16)...)
	chat := append([]byte{0x60, 1, 0, 0, 0, 2, 0, 0, 0}, "-ap\x00"...)
	var data []byte
	stored := append([]byte{0x6D}, "f\x00m\x00k\x00\x01"...) // a boolean
	clear73 := append([]byte{0x73}, "f\x00m\x00k\x00"...)
	var trackables []byte
	for _, id := range []byte{0x63, 0x64, 0x65} {
		trackables = append(append(trackables, id), 0x6B, 0, 0, 0, 0x6B, 0, 0, 0)
	}
	for _, a := range [][]byte{order, selection, {0x1A}, {0x61}, chat, stored, clear73, trackables, sync("dr.x", "Global", "Winner", 1)} {
		data = append(data, a...)
	}
	var got []Report
	for r := range reports(w3gs.DefaultVersion.LiveActions(), data) {
		got = append(got, r)
	}
	if want := []Report{{"dr.x", "Global", "Winner", 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	// Behind an action that nobody knows, nothing is believed.
	for range reports(w3gs.DefaultVersion.LiveActions(), append([]byte{0xEE}, data...)) {
		t.Error("a report behind an unknown action")
	}
}

// TestActionsOfVersions: from 2.0.2 on, sync data and keys have numbers of their own, and reports behind them count.
func TestActionsOfVersions(t *testing.T) {
	data := append([]byte{0x77}, "SC_FE\x00\x00\x00\x00\x00\x00"...)
	data = append(append(data, 0x79), make([]byte, 20)...)
	data = append(data, sync("dr.x", "Global", "Winner", 1)...)
	for v, want := range map[w3gs.Version]int{w3gs.DefaultVersion: 0, 36: 0, w3gs.VersionTwo: 3, w3gs.VersionThree: 3} {
		c := New(v, roster)
		c.Action(900, 0, 2, data)
		if n := len(c.Results()); n != want {
			t.Errorf("%v: %d results, want %d", v, n, want)
		}
	}
}

func TestDotA(t *testing.T) {
	c := New(w3gs.DefaultVersion, roster)
	for _, sender := range []uint8{2, 3} {
		c.Action(900, 0, sender, sync("dr.x", "Global", "Winner", 1))
		c.Action(900, 0, sender, sync("dr.x", "1", "1", 12))
	}
	c.Action(900, 0, 3, sync("dr.x", "7", "2", 4))
	c.Action(900, 0, 2, sync("dr.x", "7", "2", 5))
	c.Action(901, 0, 2, sync("dr.x", "1", "9", 0x48626C61)) // "Hbla"
	c.Action(902, 0, 2, sync("dr.x", "Data", "Hero7", 1))

	check(t, c, 2, "outcome", []said{{2, "won", false}, {3, "won", false}})
	check(t, c, 3, "outcome", []said{{2, "lost", false}, {3, "lost", false}})
	check(t, c, 2, "kills", []said{{2, "12", false}, {3, "12", false}})
	check(t, c, 3, "deaths", []said{{3, "4", true}, {2, "5", true}}) // both are kept, both are marked
	check(t, c, 2, "hero", []said{{2, "Hbla", false}})
	check(t, c, 0, "event 1", []said{{2, "Hero7 1", false}})
}

func TestW3MMD(t *testing.T) {
	c := New(w3gs.DefaultVersion, roster)
	for i, m := range []string{
		"init version 1 1",
		"init pid 0 Alice",
		`init pid 1 Bob\ Two`,
		"init pid 2 Gone",
		"DefVarP kills int high leaderboard",
		"DefVarP share real none none",
		"VarP 0 kills += 3",
		"VarP 0 kills += 2",
		"VarP 0 kills -= 1",
		"VarP 1 share = 0.5",
		"VarP 1 share += 0.25",
		`VarP 1 title = "two\ words\\"`,
		"VarP 2 kills = 9",
		"FlagP 0 winner",
		"FlagP 1 loser",
		"FlagP 1 practicing",
		`DefEvent kill 2 int:k int:v {0}\ killed\ {1}`,
		"Event kill 0 1",
		"VarP 0 kills += nonsense",
		"VarP",
		"",
	} {
		c.Action(uint32(i), 0, uint8(2+i%2), message(i, m))
	}
	c.Finish()

	check(t, c, 2, "kills", []said{{2, "4", false}})
	check(t, c, 3, "share", []said{{2, "0.75", false}})
	check(t, c, 3, "title", []said{{3, `two words\`, false}})
	check(t, c, 2, "outcome", []said{{3, "won", false}})
	check(t, c, 3, "outcome", []said{{2, "lost", false}})
	check(t, c, 3, "flag practicing", []said{{3, "true", false}})
	check(t, c, 0, "event 1", []said{{3, "kill 0 killed 1", false}})
	check(t, c, 0, "kills", []said{{2, "9", false}}) // about Gone, who is no player
	check(t, c, 0, "messages incomplete", nil)
	for _, r := range c.Results() {
		if r.Name == "kills" && r.PID == 0 && r.About != "Gone" {
			t.Errorf("about %q", r.About)
		}
	}
	if c.Doubted(W3MMD) {
		t.Error("doubted")
	}
}

// Arguments are data: what looks like a place in one stays as it is.
func TestEventTexts(t *testing.T) {
	for _, tc := range []struct{ template, event, want string }{
		{`{0}\ killed\ {1}`, "Event e Ann Bob", "e Ann killed Bob"},
		{`{1}{0}{1}`, "Event e Ann Bob", "e BobAnnBob"},
		{`{0}\ and\ {1}`, "Event e {1} {0}", "e {1} and {0}"},
		{`{0}{2}{-1}{x}{00`, "Event e Ann Bob", "e Ann{2}{-1}{x}{00"},
		{`{{0}}`, "Event e Ann", "e {Ann}"},
		{strings.Repeat("{0}", 60), "Event e " + strings.Repeat("x", 200), "e " + strings.Repeat("x", maxValue-2)},
	} {
		c := New(w3gs.DefaultVersion, roster)
		c.Action(1, 0, 2, message(0, "DefEvent e 1 x "+tc.template))
		c.Action(1, 0, 2, message(1, tc.event))
		c.Finish()
		if got := c.Results()[0].Value; got != tc.want {
			t.Errorf("%s with %s is %q, want %q", tc.template, tc.event, got, tc.want)
		}
	}
}

// A sum stays at the end of its range, instead of going on at the other one.
func TestSumsDoNotWrap(t *testing.T) {
	const largest, smallest = "9223372036854775807", "-9223372036854775808"
	for _, c := range []struct{ before, operation, change, want string }{
		{largest, "+=", "1", largest},
		{largest, "+=", "-1", "9223372036854775806"},
		{"1", "+=", largest, largest},
		{smallest, "-=", "1", smallest},
		{smallest, "+=", "-1", smallest},
		{smallest, "+=", smallest, smallest},
		{"0", "-=", smallest, largest},
		{"-1", "-=", smallest, largest},
		{"-5", "-=", largest, smallest},
		{"1e308", "+=", "1e308", "1e308"}, // not of whole numbers: it is not believed
		{"-1e308", "-=", "1e308", "-1e308"},
	} {
		game := New(w3gs.DefaultVersion, roster)
		game.Action(1, 0, 2, message(0, "VarP 1 n = "+c.before))
		game.Action(1, 0, 3, message(1, "VarP 1 n "+c.operation+" "+c.change))
		game.Finish()
		if got := game.Results()[0].Value; got != c.want {
			t.Errorf("%s %s %s is %s, want %s", c.before, c.operation, c.change, got, c.want)
		}
	}
}

func TestReportsAreBounded(t *testing.T) {
	c := New(w3gs.DefaultVersion, roster)
	for i := range 3 * maxResults {
		c.Action(1, time.Duration(i)*time.Second, 2, message(i, "VarP 0 v"+strconv.Itoa(i)+" = 1"))
		c.Action(1, time.Duration(i)*time.Second, 2, sync("dr.x", "Data", "Hero1", uint32(i)))
	}
	c.Finish()
	if n := len(c.Results()); n != maxResults {
		t.Errorf("%d results", n)
	}
}

type said struct {
	sender      uint8
	value       string
	contradicts bool
}

func check(t *testing.T, c *Collector, pid uint8, name string, want []said) {
	t.Helper()
	var got []said
	for _, r := range c.Results() {
		if r.PID == pid && r.Name == name {
			got = append(got, said{r.Sender, r.Value, r.Contradicts})
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s of %d: got %+v, want %+v", name, pid, got, want)
	}
}

func BenchmarkOrdinaryAction(b *testing.B) {
	c := New(w3gs.DefaultVersion, roster)
	order := make([]byte, 23)
	order[0] = 0x11
	for b.Loop() {
		c.Action(1, 0, 2, order)
	}
}
