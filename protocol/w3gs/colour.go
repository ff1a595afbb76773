package w3gs

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// StripColours removes the codes that clients render as colour or line break: |cAARRGGBB, |r and |n. It
// repeats the removal, because removing one code can form another.
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

// mostSpaces is the longest run of spaces kept in a line; players use longer runs to fake a line break on
// screen.
const mostSpaces = 4

// PlainLine sanitises text written by a player for display to others: it removes colour codes, control and
// invisible characters, line breaks and long runs of spaces.
func PlainLine(text string) string {
	return SingleLine(StripColours(text))
}

// SingleLine sanitises an operator's text like PlainLine but keeps its colour codes.
func SingleLine(text string) string {
	text = breaks.Replace(text)
	var b strings.Builder
	spaces := 0
	for part := range strings.SplitSeq(text, "") { // splits invalid UTF-8 into single bytes
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

// breaks replaces the |n code, which clients render as a line break, with a space.
var breaks = strings.NewReplacer("|n", " ", "|N", " ")
