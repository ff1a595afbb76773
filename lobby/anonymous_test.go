package lobby

import (
	"strings"
	"testing"
)

// TestHideNames: a name is replaced wherever it stands as a word, in any script.
func TestHideNames(t *testing.T) {
	for _, test := range []struct{ line, name, want string }{
		{"Al was kicked, and Alice plays with Al.", "Al", "X was kicked, and Alice plays with X."},
		{"AlAl Al", "Al", "AlAl X"},
		{"张三离开了", "张三", "X离开了"},
		{"[x]^ left; b[x]^b", "[x]^", "X left; bXb"},
		{"ÄAl, Al2", "Al", "ÄX, Al2"},
		{"nobody", "", "nobody"},
		{"\xffAl\xff", "Al", "\xffX\xff"},
	} {
		want := strings.ReplaceAll(test.want, "X", "Player 9")
		if got := hideNames(test.line, []hiddenName{{test.name, 9}}); got != want {
			t.Errorf("%q in %q: %q", test.name, test.line, got)
		}
	}
}

// TestHideNamesLikeNumbers: players may be called like a part of what others are called.
func TestHideNamesLikeNumbers(t *testing.T) {
	names := []hiddenName{{"Bo", 2}, {"Player", 3}, {"2", 4}, {"Bo Player", 5}}
	if got, want := hideNames("Bo, Player and 2 play with Bo Player", names), "Player 2, Player 3 and Player 4 play with Player 5"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
