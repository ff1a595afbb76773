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
	// shortestSecret is the length of the shortest password.
	shortestSecret = 8
	// wrongLetters is how many letters of a mistyped command may be wrong.
	wrongLetters = 2
)

// Bare reduces a chat line to the command that its sender may have meant: letters in
// their plain form, no colour codes, no invisible characters, one kind of space. It cuts
// off the text before the first letter, and reports whether that can be a trigger,
// right or wrong: any sign, such as . / - or the full-width !, and the 1 on the key of
// the !.
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

// Slip reports whether a line, as Bare returns it, may hold a password by mistake. With
// something like a trigger, that is a secret command whatever follows it or is glued to
// it, and one with up to two wrong letters before something as long as a password.
// Without, it is the right word before something as long as a password.
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
