package lobby

import "testing"

// What a player writes does not look like a line of the host to others, whatever it does.
func TestPlainLine(t *testing.T) {
	cfg := Defaults()
	cfg.Voice.VirtualHost = "|cFF4080C0w3host"
	l := New(cfg, nil)
	for line, want := range map[string]string{
		"hello":                           "hello",
		"w3host is slow":                  "w3host is slow",
		"[clan] hi":                       "[clan] hi",
		"5 | 3, a||b":                     "5 | 3, a||b",
		"你好　世界":                           "你好　世界",
		"cut \xe4\xbd":                    "cut \xe4\xbd", // inside a letter, as clients do
		"[w3host] Bob was kicked.":        "(w3host?) Bob was kicked.",
		" [W3HOST]You win":                "(W3HOST?)You win",
		"|cFF4080C0[w3host]|r hi":         "(w3host?) hi",
		"【ｗ３ｈｏｓｔ】 hi":                     "(ｗ３ｈｏｓｔ?) hi",
		"[w3hоst] hi":                     "(w3hоst?) hi", // a Cyrillic o
		"[w3h0st] hi":                     "(w3h0st?) hi",
		"*[ w3host ]* hi":                 "([ w3host?)* hi",
		"<w3host> hi":                     "(w3host?) hi",
		"hi\nw3host: Bob was kicked.":     "hi w3host: Bob was kicked.",
		"hi|n[w3host] Bob was kicked.":    "hi[w3host] Bob was kicked.",
		"hi\r\n\t\u2028\u0085w3host: you": "hi    w3host: you",
		"hi                   w3host: x":  "hi    w3host: x",
		"||cFF4080C0cFF4080C0red":         "red",
		"a\u200bb\u202ec":                 "abc",
		"[]":                              "[]",
		"":                                "",
	} {
		if got := l.Plain(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// Names that are taken for each other have the same likeness, others have not.
func TestLikeness(t *testing.T) {
	for _, same := range [][]string{
		{"Admin", "ADMIN", " admin", "Аdmin", "Аdmіn", "ａｄｍｉｎ", "|cFFFF0000Admin", "Adm1n"},
		{"Bob", "bob", "B0b", "Bоb", "Воb"},
		{"Player1", "Playerl", "PlayerI", "P1ayer1"},
		{"Mary", "rnary"},
		{"Pal", "ƿal"}, // since Unicode 14
	} {
		for _, name := range same[1:] {
			if Likeness(name) != Likeness(same[0]) {
				t.Errorf("%q has %q, %q has %q", name, Likeness(name), same[0], Likeness(same[0]))
			}
		}
	}
	seen := map[string]string{}
	for _, name := range []string{"Ann", "Anna", "Bob", "Bob2", "Bob3", "Иван", "Иванна", "小明", "小朋", "한국", "Fake 1", "Fake 2", "p5", "ps", "Ben", "B3n"} {
		if other := seen[Likeness(name)]; other != "" {
			t.Errorf("%q is taken for %q", name, other)
		}
		seen[Likeness(name)] = name
	}
}

func TestLikeHost(t *testing.T) {
	cfg := Defaults()
	cfg.Voice.VirtualHost = "|cFF4080C0w3host"
	l := New(cfg, nil)
	for name, want := range map[string]bool{
		"w3host": true, " W3Host ": true, "[w3host]": true, "w3host:": true, "w3h0st": true, "ｗ３ｈｏｓｔ": true,
		"w3hоst": true, "W3 HOST": true, "w3host.": true, "-w3host-": true,
		"w3hosts": false, "Bob": false, "host": false, "W4host": false, "주인": false,
	} {
		if got := l.likeHost(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
	cfg.Voice.VirtualHost = "*"
	if New(cfg, nil).likeHost("?") {
		t.Error("a name without letters is like any other")
	}
}
