package lobby

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// checkName says what is wrong with a player's name; empty for a good one. Clients
// may cut a name inside a letter.
func checkName(name string) texts.Text {
	switch {
	case strings.TrimSpace(name) == "":
		return texts.Of("the name is empty")
	case len(name) > w3gs.MaxNameLen:
		return texts.Of("the name is %d bytes long; the limit is %d", len(name), w3gs.MaxNameLen)
	case w3gs.StripColours(name) != name:
		return texts.Of("the name contains colour codes")
	}
	for _, r := range name {
		// Format characters are invisible: they make one name look like another.
		if r != utf8.RuneError && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return texts.Of("the name contains control characters")
		}
	}
	return texts.Text{}
}

// sameName compares names as players see them.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}
