package lobby

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// CheckName says what is wrong with a player's name; empty for a good one. Clients
// may cut a name inside a letter. Those of the new engine count letters, older ones bytes, and
// the part of a battle tag behind the name counts for neither.
func CheckName(name string, reforged bool) texts.Text {
	own, _ := w3gs.CutTag(name)
	switch letters := utf8.RuneCountInString(own); {
	case strings.TrimSpace(own) == "":
		return texts.Of("the name is empty")
	case reforged && letters > w3gs.MaxNameLen:
		return texts.Of("the name has %d letters; the limit is %d", letters, w3gs.MaxNameLen)
	case !reforged && len(name) > w3gs.MaxNameLen:
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
