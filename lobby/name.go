package lobby

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// CheckName says what is wrong with a player's name; empty for a good one. Clients
// may cut a name inside a letter. Those of the new engine count letters, older ones bytes, and
// the part of a battle tag behind the name counts for neither.
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
		// Format characters are invisible: they make one name look like another.
		if r != utf8.RuneError && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return texts.Of("the name contains control characters")
		}
	}
	return texts.Text{}
}

// version is that of the game.
func (l *Lobby) version() w3gs.Version { return l.cfg.Wire.Version }

// checkName is CheckName for a joiner, who needs no name where clients may have none.
func (l *Lobby) checkName(name string) texts.Text {
	if name == "" && l.version().SharesNames() {
		return texts.Text{}
	}
	return CheckName(name, l.version())
}

// call gives a player the name by which people call them, unlike that of any other. It is nobody's where the
// client has none, or that of somebody who is in.
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

// sameName compares names as players see them.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}
