package lobby

import (
	"testing"

	"w3host/protocol/w3gs"
)

func TestCheckName(t *testing.T) {
	good := []string{
		"A", "fifteen bytes k", "玩家一二三", "Al|ex", "x|", "|", "Ünal", "a b",
		"aaaaaaaaaaaaaa\xE7", // the client cut the last letter
	}
	for _, name := range good {
		if why := CheckName(name, w3gs.DefaultVersion); !why.Empty() {
			t.Errorf("%q: %s", name, why)
		}
	}
	bad := []string{
		"", " ", "sixteen bytes ok", "玩家一二三四", "a\tb", "a\x00b", "\x7F", "a\u0085", "a\u200Db", "\uFEFFa",
		"|cff00ff00Al", "|CFF", "a|r", "a|R", "|na", "a|Nb",
	}
	for _, name := range bad {
		if CheckName(name, w3gs.DefaultVersion).Empty() {
			t.Errorf("%q: accepted", name)
		}
	}
}

func TestCheckNameOfReforged(t *testing.T) {
	for _, name := range []string{"fluxxu#1815", "fifteen_letters#12345", "玩家一二三四五六七八九十一二三#31234", "fifteen_letters", "a#b", "#1"} {
		if why := CheckName(name, w3gs.ReforgedVersion); !why.Empty() {
			t.Errorf("%q: %s", name, why)
		}
	}
	for _, name := range []string{"", " #1234", "sixteen_letters_#1234", "sixteen_letters_", "fifteen_letters#123456789", "a\u200Db#1"} {
		if CheckName(name, w3gs.ReforgedVersion).Empty() {
			t.Errorf("%q: accepted", name)
		}
	}
	if CheckName("fifteen_letters#1", w3gs.DefaultVersion).Empty() {
		t.Error("a long battle tag: accepted for classic clients")
	}
}
