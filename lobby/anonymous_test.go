package lobby

import "testing"

// TestReplaceName: a name is replaced wherever it stands as a word, in any script.
func TestReplaceName(t *testing.T) {
	for _, test := range []struct{ line, name, want string }{
		{"Al was kicked, and Alice plays with Al.", "Al", "X was kicked, and Alice plays with X."},
		{"AlAl Al", "Al", "AlAl X"},
		{"张三离开了", "张三", "X离开了"},
		{"[x]^ left; b[x]^b", "[x]^", "X left; bXb"},
		{"ÄAl, Al2", "Al", "ÄX, Al2"},
		{"nobody", "", "nobody"},
		{"\xffAl\xff", "Al", "\xffX\xff"},
	} {
		if got := replaceName(test.line, test.name, "X"); got != test.want {
			t.Errorf("%q in %q: %q", test.name, test.line, got)
		}
	}
}
