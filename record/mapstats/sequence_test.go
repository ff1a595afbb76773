package mapstats

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

var three = append(slices.Clone(roster), Player{PID: 4, Name: "Cid", Colour: 2})

// letter is what one client sends at a time of the game. A number below zero comes without its checksum.
type letter struct {
	at     time.Duration
	sender uint8
	number int
	text   string
}

// honestStart are the first messages of a game of three, by three clients.
var honestStart = []letter{
	{0, 2, 0, "init version 1 1"},
	{0, 3, 1, "init pid 1 Alice"},
	{0, 4, 2, `init pid 7 Bob\ Two`},
	{0, 2, 3, "init pid 2 Cid"},
}

// TestSequence: values belong to the game, and each number counts once and in order.
func TestSequence(t *testing.T) {
	const minute = time.Minute
	for _, tc := range []struct {
		name string
		sent []letter
		want string // results as pid/name=value, with ! for contradicted ones and ? for a doubted game
	}{
		{"random senders", []letter{
			{minute, 2, 4, "VarP 1 kills += 1"}, {minute, 3, 5, "VarP 1 kills += 1"}, {minute, 2, 6, "VarP 1 level = 1"}, {2 * minute, 3, 7, "VarP 1 level = 2"},
		}, "2/kills=2 2/level=2"},
		{"three senders and a repetition", []letter{
			{minute, 2, 4, "VarP 1 kills += 1"}, {minute, 3, 4, "VarP 1 kills += 1"}, {minute, 4, 4, "VarP 1 kills += 1"}, {2 * minute, 2, 4, "VarP 1 kills += 1"},
		}, "2/kills=1"},
		{"out of order", []letter{
			{minute, 2, 5, "VarP 1 level = 2"}, {minute, 2, 6, "VarP 1 level += 3"}, {minute + time.Second, 3, 4, "VarP 1 level = 1"},
		}, "2/level=5"},
		{"missing for 15 s", []letter{
			{minute, 2, 5, "VarP 1 level = 2"}, {minute, 3, 6, "VarP 1 level += 3"}, {minute + 16*time.Second, 2, 7, "VarP 1 level += 1"}, {minute + 17*time.Second, 3, 4, "VarP 1 level = 100"},
		}, "2/level=6 0/messages incomplete=true ?"},
		{"missing at the end", []letter{
			{minute, 2, 5, "VarP 1 level = 2"},
		}, "2/level=2 0/messages incomplete=true ?"},
		{"leaver, then loser", []letter{
			{minute, 2, 4, "FlagP 7 leaver"}, {minute, 3, 5, "FlagP 7 loser"}, {minute, 4, 6, "FlagP 1 winner"},
		}, "3/flag leaver=true 3/outcome=lost 2/outcome=won"},
		{"loser, then leaver", []letter{
			{minute, 2, 4, "FlagP 7 loser"}, {minute, 3, 5, "FlagP 7 leaver"}, {minute, 4, 6, "FlagP 7 practicing"}, {minute, 4, 7, "FlagP 1 winner"},
		}, "3/outcome=lost 3/flag leaver=true 3/flag practicing=true 2/outcome=won"},
		{"a leaver alone", []letter{
			{minute, 2, 4, "FlagP 7 leaver"}, {minute, 4, 5, "FlagP 1 winner"},
		}, "3/flag leaver=true 2/outcome=won 3/outcome=left"},
		{"the last word counts", []letter{
			{minute, 2, 4, "FlagP 7 winner"}, {minute, 3, 5, "FlagP 7 loser"},
		}, "3/outcome=lost"},

		{"numbers far ahead", []letter{
			{minute, 3, 999, "FlagP 7 winner"}, {minute, 3, 1000, "FlagP 1 loser"}, {minute, 3, 1001, "FlagP 2 loser"}, {2 * minute, 2, 4, "FlagP 1 winner"},
		}, "2/outcome=won"},
		{"a number that is ahead has no other left out", []letter{
			{minute, 3, 40, "FlagP 7 winner"}, {5 * minute, 2, 4, "FlagP 1 winner"}, {6 * minute, 4, 5, "FlagP 7 loser"},
		}, "2/outcome=won 3/outcome=lost"},
		{"the next number, which the map answers", []letter{
			{minute, 3, 4, "FlagP 7 winner"}, {minute + time.Second, 2, 4, "Blank"}, {2 * minute, 4, 5, "FlagP 1 winner"},
		}, "3/outcome=won! 2/outcome=won! 0/messages disputed=true"},
		{"a used number", []letter{
			{minute, 2, 4, "FlagP 1 winner"}, {5 * minute, 3, 4, "FlagP 7 winner"},
		}, "2/outcome=won! 0/messages disputed=true"},
		{"a used number of the guard", []letter{
			{minute, 2, 4, "FlagP 1 winner"}, {minute, 4, 4, "FlagP 1 winner"}, {5 * minute, 3, 4, "FlagP 7 winner"},
		}, "2/outcome=won"},
		{"two of three outvote the liar", []letter{
			{minute, 3, 4, "FlagP 7 winner"}, {minute, 2, 4, "FlagP 1 winner"}, {minute, 4, 4, "FlagP 1 winner"},
		}, "2/outcome=won"},
		{"the drawn client lies, others repeat the message", []letter{
			{minute, 3, 4, "FlagP 7 winner"}, {minute + 8*time.Second, 2, 4, "FlagP 1 winner"},
		}, "3/outcome=won! 2/outcome=won! 0/messages disputed=true"},
		{"a client of two minds", []letter{
			{minute, 3, 4, "FlagP 7 winner"}, {minute, 3, 4, "FlagP 1 winner"},
		}, "3/outcome=won! 2/outcome=won! 0/messages disputed=true"},
		{"two liars against two", []letter{
			{minute, 3, 4, "FlagP 7 winner"}, {minute, 5, 4, "FlagP 7 winner"}, {minute, 2, 4, "FlagP 1 winner"}, {minute, 4, 4, "FlagP 1 winner"},
		}, "3/outcome=won! 2/outcome=won! 0/messages disputed=true"},
		{"a text without checksum that others take for the message", []letter{
			{minute, 3, 4, "FlagP 7 winner"}, {minute, 3, -4, "FlagP 1 winner"},
		}, "3/outcome=won! 0/messages disputed=true"},
		{"a text without checksum against two", []letter{
			{minute, 3, -4, "FlagP 7 winner"}, {minute, 2, 4, "FlagP 1 winner"}, {minute, 4, 4, "FlagP 1 winner"},
		}, "2/outcome=won"},
		{"a majority that has said nothing", []letter{
			{minute, 5, 0, "FlagP 1 winner"},
		}, "2/outcome=won ?"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := New(w3gs.DefaultVersion, three)
			sent := tc.sent
			if sent[0].number != 0 {
				sent = slices.Concat(honestStart, sent)
			}
			for _, l := range sent {
				data := message(l.number, l.text)
				if l.number < 0 {
					data = sync(mmdFile, fmt.Sprint("val:", -l.number), l.text, 7)
				}
				c.Action(uint32(l.at/time.Second), l.at, l.sender, data)
			}
			c.Finish()
			if got := summary(c); got != tc.want {
				t.Errorf("\n got %s\nwant %s", got, tc.want)
			}
		})
	}
}

// summary is what a collector says in one line.
func summary(c *Collector) string {
	var list []string
	for _, r := range c.Results() {
		text := fmt.Sprintf("%d/%s=%s", r.PID, r.Name, r.Value)
		if r.Contradicts {
			text += "!"
		}
		list = append(list, text)
	}
	if c.Doubted(W3MMD) {
		list = append(list, "?")
	}
	return strings.Join(list, " ")
}

// TestChecksums: a message counts with its checksum, from the same client.
func TestChecksums(t *testing.T) {
	text, number := "VarP 1 n = 1", "0"
	for name, tc := range map[string]struct {
		data   [][]byte // of Alice, and of Bob
		counts bool
	}{
		"both":            {[][]byte{append(sync(mmdFile, "val:0", text, 5), sync(mmdFile, "chk:0", number, 5)...), nil}, true},
		"no checksum":     {[][]byte{sync(mmdFile, "val:0", text, 5), nil}, false},
		"another's":       {[][]byte{sync(mmdFile, "val:0", text, 5), sync(mmdFile, "chk:0", number, 5)}, false},
		"a wrong one":     {[][]byte{append(sync(mmdFile, "val:0", text, 5), sync(mmdFile, "chk:0", number, 6)...), nil}, false},
		"of another text": {[][]byte{append(sync(mmdFile, "val:1", text, 5), sync(mmdFile, "chk:0", number, 5)...), nil}, false},
		"a wrong key":     {[][]byte{append(sync(mmdFile, "val:0", text, 5), sync(mmdFile, "chk:0", "1", 5)...), nil}, false},
		"an odd number":   {[][]byte{append(sync(mmdFile, "val:00", text, 5), sync(mmdFile, "chk:00", "00", 5)...), nil}, false},
		"sent again":      {[][]byte{slices.Concat(sync(mmdFile, "val:0", text, 5), sync(mmdFile, "val:0", text, 6), sync(mmdFile, "chk:0", number, 6)), nil}, true},
	} {
		c := New(w3gs.DefaultVersion, roster)
		for i, data := range tc.data {
			c.Action(1, 0, uint8(2+i), data)
		}
		c.Finish()
		if counts := len(c.Results()) > 0; counts != tc.counts {
			t.Errorf("%s: it counts: %v, want %v", name, counts, tc.counts)
		}
	}
}

// TestEqualNames: the number of the map tells players apart who have the same name.
func TestEqualNames(t *testing.T) {
	c := New(w3gs.DefaultVersion, []Player{{PID: 2, Name: "Ann", Colour: 0}, {PID: 3, Name: "Ann", Colour: 1}, {PID: 4, Colour: 2}})
	for i, text := range []string{"init pid 0 Ann", "init pid 1 Ann", "init pid 2 Nobody", "VarP 0 n = 0", "VarP 1 n = 1", "VarP 2 n = 2"} {
		c.Action(1, 0, 2, message(i, text))
	}
	c.Finish()
	if got := summary(c); got != "2/n=0 3/n=1 4/n=2" {
		t.Error(got)
	}
}

// TestKeptReports: from the reports that Action returns, another collector makes the same results; of a client that
// makes reports up without end, few are returned.
func TestKeptReports(t *testing.T) {
	c, again := New(w3gs.DefaultVersion, roster), New(w3gs.DefaultVersion, roster)
	for i := range 100 {
		turn, at, sender := uint32(i), time.Duration(i)*time.Second, uint8(2+i%2)
		again.Reports(turn, at, sender, c.Action(turn, at, sender, append(message(i, fmt.Sprintf("VarP 1 n += %d", i)), sync("dr.x", "1", "1", uint32(i))...)))
	}
	c.Finish()
	again.Finish()
	if summary(c) != summary(again) || len(c.Results()) != 3 {
		t.Errorf("%s, and again %s", summary(c), summary(again))
	}
	returned, bytes := 0, 0
	for i := range 10_000 {
		for _, r := range c.Action(1, 0, 2, message(i, strings.Repeat("x", 200))) {
			returned++
			bytes += len(r.Key)
		}
	}
	if bytes > maxKeptBytes+1000 || returned > 2*maxKeptActions {
		t.Errorf("%d reports of %d bytes are returned", returned, bytes)
	}
	if again.Full() || !c.Full() {
		t.Error("which collector has more than is stored is not known")
	}
	if c.Action(1, 0, 3, message(1, "x")) == nil {
		t.Error("nothing more is kept of the other client")
	}
}
