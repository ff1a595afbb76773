package autohost

import (
	"strings"
	"testing"
	"unicode/utf8"

	"w3host/protocol/w3gs"
)

func TestGameName(t *testing.T) {
	for _, tc := range []struct {
		name string
		n    int
		want string
	}{
		{"game", 1, "game"},
		{"game", 2, "game #2"},
		{"game", 1234, "game #1234"},
		{strings.Repeat("x", 31), 1, strings.Repeat("x", 31)},
		{strings.Repeat("x", 31), 10, strings.Repeat("x", 27) + " #10"},
		{strings.Repeat("é", 15), 2, strings.Repeat("é", 14) + " #2"}, // never half a letter
		{"apes {n} only", 1, "apes 1 only"},
		{"apes {n} only", 40, "apes 40 only"},
		{strings.Repeat("é", 15) + "{n}!", 7, strings.Repeat("é", 14) + "7!"},
		{"twenty-seven bytes of name   x", 22, "twenty-seven bytes of name #22"},
	} {
		got := gameName(tc.name, tc.n)
		if got != tc.want || len(got) > w3gs.MaxGameNameLen || !utf8.ValidString(got) {
			t.Errorf("gameName(%q, %d) = %q, want %q", tc.name, tc.n, got, tc.want)
		}
	}
}
