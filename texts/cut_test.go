package texts_test

import (
	"testing"

	"w3host/texts"
)

func TestCut(t *testing.T) {
	for _, tt := range []struct{ line, part, rest string }{
		{"short", "short", ""},
		{"ten bytes.", "ten bytes.", ""},
		{"ten letter words", "ten letter", "words"}, // the space is behind the tenth byte
		{"twelve bytes here", "twelve", "bytes here"},
		{"a bbbbbbbbbbb", "a bbbbbbbb", "bbb"}, // no line of one letter
		{"一二三四五", "一二三", "四五"},
		{"\xBF\xBF\xBF\xBF\xBF\xBF\xBF\xBF\xBF\xBF\xBF\xBF", "\xBF\xBF\xBF\xBF\xBF\xBF", "\xBF\xBF\xBF\xBF\xBF\xBF"}, // no letters at all
	} {
		if part, rest := texts.Cut(tt.line, 10); part != tt.part || rest != tt.rest {
			t.Errorf("%q: %q, %q, want %q, %q", tt.line, part, rest, tt.part, tt.rest)
		}
	}
}
