package w3gs

import "testing"

func TestStripColours(t *testing.T) {
	for in, want := range map[string]string{
		"|cFF4080C0w3host":   "w3host",
		"|cFF4080C0w3|rhost": "w3host",
		"|cFF":               "",
		"|cFF4080C0a|rb":     "ab",
		"|r|r":               "",
		"a|":                 "a|",
		"a||b":               "a||b",
		"one|ntwo":           "onetwo",
		"":                   "",
	} {
		if got := StripColours(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
