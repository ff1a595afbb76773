package w3gs

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// StripColours removes codes that clients draw as colour or line break: |cAARRGGBB,
// |r and |n, also those that the removal of others forms.
func StripColours(s string) string {
	for range 8 {
		if !strings.Contains(s, "|") {
			return s
		}
		s = stripColours(s)
	}
	if stripColours(s) != s {
		return strings.ReplaceAll(s, "|", "")
	}
	return s
}

func stripColours(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '|' && i+1 < len(s) {
			switch s[i+1] {
			case 'c', 'C':
				i = min(i+9, len(s)-1)
				continue
			case 'r', 'R', 'n', 'N':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// mostSpaces may stand between two words of a plain line: more would be a line break on a screen.
const mostSpaces = 4

// PlainLine returns a line that one person has written as other people may read it: without colour codes, control or
// invisible characters, line breaks or long rows of spaces.
func PlainLine(text string) string {
	return SingleLine(StripColours(text))
}

// SingleLine is PlainLine for the line of an operator, which may have colours.
func SingleLine(text string) string {
	text = breaks.Replace(text)
	var b strings.Builder
	spaces := 0
	for part := range strings.SplitSeq(text, "") { // also of text that is no UTF-8
		r, n := utf8.DecodeRuneInString(part)
		broken := r == utf8.RuneError && n == 1
		switch {
		case !broken && (unicode.IsSpace(r) || unicode.IsControl(r)):
			if unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
				part = " "
			}
			if spaces++; spaces > mostSpaces {
				continue
			}
		case !broken && unicode.Is(unicode.Cf, r):
			continue
		default:
			spaces = 0
		}
		b.WriteString(part)
	}
	return b.String()
}

// breaks replaces the code that clients draw as a line break.
var breaks = strings.NewReplacer("|n", " ", "|N", " ")
