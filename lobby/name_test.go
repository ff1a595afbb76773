package lobby

import "testing"

func TestCheckName(t *testing.T) {
	good := []string{
		"A", "fifteen bytes k", "玩家一二三", "Al|ex", "x|", "|", "Ünal", "a b",
		"aaaaaaaaaaaaaa\xE7", // the client cut the last letter
	}
	for _, name := range good {
		if why := checkName(name); !why.Empty() {
			t.Errorf("%q: %s", name, why)
		}
	}
	bad := []string{
		"", " ", "sixteen bytes ok", "玩家一二三四", "a\tb", "a\x00b", "\x7F", "a\u0085", "a\u200Db", "\uFEFFa",
		"|cff00ff00Al", "|CFF", "a|r", "a|R", "|na", "a|Nb",
	}
	for _, name := range bad {
		if checkName(name).Empty() {
			t.Errorf("%q: accepted", name)
		}
	}
}
