package w3gs

import "testing"

func TestStripColours(t *testing.T) {
	for in, want := range map[string]string{
		"|cFF4080C0w3host":        "w3host",
		"|cFF4080C0w3|rhost":      "w3host",
		"|cFF":                    "",
		"|cFF4080C0a|rb":          "ab",
		"|r|r":                    "",
		"a|":                      "a|",
		"a||b":                    "a||b",
		"one|ntwo":                "onetwo",
		"||cFF4080C0cFF4080C0red": "red",
		"":                        "",
	} {
		if got := StripColours(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A plain line has nothing in it that makes a client draw something else than the words; a single line keeps colours.
func TestPlainLine(t *testing.T) {
	for in, want := range map[string][2]string{
		"hello":                           {"hello", "hello"},
		"hi\nw3host: Bob was kicked.":     {"hi w3host: Bob was kicked.", "hi w3host: Bob was kicked."},
		"hi|nw3host: Bob was kicked.":     {"hiw3host: Bob was kicked.", "hi w3host: Bob was kicked."},
		"hi\r\n\t\u2028\u0085w3host: you": {"hi    w3host: you", "hi    w3host: you"},
		"|cFFFF0000red|r":                 {"red", "|cFFFF0000red|r"},
		"a\u200bb\u202ec":                 {"abc", "abc"},
		"cut \xe4\xbd":                    {"cut \xe4\xbd", "cut \xe4\xbd"}, // inside a letter, as clients do
		"你好　世界":                           {"你好　世界", "你好　世界"},
	} {
		if got := [2]string{PlainLine(in), SingleLine(in)}; got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
