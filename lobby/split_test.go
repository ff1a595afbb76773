package lobby

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Lines are cut between letters and, where there are any, at spaces, within the
// limit of clients in bytes.
func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"short\n\nlines \n", []string{"short", "lines"}},
		{"twelve bytes here", []string{"twelve", "bytes here"}},
		{"aaaaaaaaaaaaa", []string{"aaaaaaaaaa", "aaa"}},
		{"一二三四五六七", []string{"一二三", "四五六", "七"}},
		{"a 一二三四", []string{"a 一二", "三四"}}, // no line of one letter
	} {
		if got := split(tt.text, 10); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
	for _, part := range split(strings.Repeat("倒计时已停止：玩家一 离开了。", 40), 254) {
		if !utf8.ValidString(part) || len(part) > 254 || len(part) < 64 {
			t.Errorf("%d bytes: %q", len(part), part)
		}
	}
}
