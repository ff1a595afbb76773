package command

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"w3host/internal/nearest"
	"w3host/protocol/w3gs"
)

const (
	// shortestSecret is the minimum length of a password.
	shortestSecret = 8
	// wrongLetters is the number of wrong letters tolerated in a mistyped command.
	wrongLetters = 2
)

// Bare normalizes a chat line to the command that its sender may have meant: plain letters, no colour codes or invisible
// characters, one kind of space. It removes everything before the first letter and reports whether that could have been
// meant as a trigger: any sign such as . / - or a full-width !, and the digit 1, which is on the same key as !.
func Bare(text string) (line string, triggered bool) {
	line = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, norm.NFKC.String(w3gs.StripColours(text)))
	line = strings.TrimSpace(line)
	bare := strings.TrimLeftFunc(line, func(r rune) bool { return r == '1' || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return bare, len(bare) < len(line)
}

// Slip reports whether a line, as returned by Bare, may contain a password by mistake. After something like a trigger,
// that is a secret command followed by or joined to any text, or a misspelled one before a text as long as a password.
// Without a trigger, it is the correct name before such a text.
func (t Table[T]) Slip(line string, triggered bool) bool {
	word, rest, _ := strings.Cut(line, " ")
	word, rest = strings.ToLower(word), strings.TrimSpace(rest)
	long := func(text string) bool { return utf8.RuneCountInString(text) >= shortestSecret }
	slip := func(name string) bool {
		switch glued, begins := strings.CutPrefix(word, name); {
		case begins && glued == "":
			return rest != "" && (triggered || long(rest))
		case begins && (triggered || long(glued)):
			return true
		}
		return triggered && long(rest) && nearest.Within(word, name, wrongLetters)
	}
	return slices.ContainsFunc(t, func(s Spec[T]) bool {
		return s.Secret && (slip(s.Name) || slices.ContainsFunc(s.Aliases, slip))
	})
}
