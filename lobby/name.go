package lobby

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// CheckName returns what is wrong with a player's name, or an empty text. Invalid UTF-8 is accepted, because clients may
// cut a name inside a letter. The length limit counts letters for Reforged clients and bytes for older ones; the number
// of a battle tag does not count.
func CheckName(name string, v w3gs.Version) texts.Text {
	own, _ := w3gs.CutTag(name)
	switch letters := utf8.RuneCountInString(own); {
	case strings.TrimSpace(own) == "":
		return texts.Of("the name is empty")
	case v.Reforged() && letters > w3gs.MaxNameLen:
		return texts.Of("the name has %d letters; the limit is %d", letters, w3gs.MaxNameLen)
	case !v.Reforged() && len(name) > w3gs.MaxNameLen:
		return texts.Of("the name is %d bytes long; the limit is %d", len(name), w3gs.MaxNameLen)
	case w3gs.StripColours(name) != name:
		return texts.Of("the name contains colour codes")
	}
	for _, r := range name {
		// Invisible format characters make one name look like another.
		if r != utf8.RuneError && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return texts.Of("the name contains control characters")
		}
	}
	return texts.Text{}
}

// version returns the game version of the lobby.
func (l *Lobby) version() w3gs.Version { return l.cfg.Wire.Version }

// checkName is CheckName for a joiner. In versions that allow it, the name may be empty.
func (l *Lobby) checkName(name string) texts.Text {
	if name == "" && l.version().SharesNames() {
		return texts.Text{}
	}
	return CheckName(name, l.version())
}

// call gives a player a unique name for this lobby. If the client's name is empty or taken, the made-up name is marked
// as Nameless and has no rights.
func (l *Lobby) call(p *player) {
	p.name = p.Req.Name
	switch {
	case p.fake || !l.version().SharesNames():
		return
	case p.name == "":
		p.name = number(p.pid)
	case l.named(p.name) == nil:
		return
	}
	p.Nameless = true
	for l.named(p.name) != nil {
		p.name = fmt.Sprintf("%s (%d)", p.name, p.pid)
	}
}

// sameName compares names as players see them, ignoring case.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}
