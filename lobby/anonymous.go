package lobby

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// With hidden names (Admission.Anonymous) other players see "Player N" instead of a name: in the 0x06 packets that
// introduce a player, and in all lines of the host, which are filtered in this file.

// maxHiddenNames is the number of names removed from lines: those of the players who joined last.
const maxHiddenNames = 64

// hiddenName is a name that other players must not see.
type hiddenName struct {
	name string
	pid  uint8
}

// hides reports whether other players see this player only as a number.
func (l *Lobby) hides(p *player) bool { return l.cfg.Admission.Anonymous && !p.fake }

// shown returns the name under which other players see a player.
func (l *Lobby) shown(p *player) string {
	if l.hides(p) {
		return number(p.pid)
	}
	return p.name
}

// clientName returns the name sent to clients: the one with which the player's own client joined, unless names are
// hidden.
func (l *Lobby) clientName(p *player) string {
	if l.hides(p) {
		return number(p.pid)
	}
	return p.Req.Name
}

func number(pid uint8) string { return fmt.Sprintf("Player %d", pid) }

// hideName removes a player's name from the host's lines from now on.
func (l *Lobby) hideName(p *player) {
	if !l.hides(p) {
		return
	}
	l.hiddenNames = slices.DeleteFunc(l.hiddenNames, func(v hiddenName) bool { return v.name == p.name })
	l.hiddenNames = append(l.hiddenNames, hiddenName{p.name, p.pid})
	l.hiddenNames = l.hiddenNames[max(len(l.hiddenNames)-maxHiddenNames, 0):]
}

// anonymous returns a line of the host for a reader, who may see their own name; reader is 0 if there are several.
func (l *Lobby) anonymous(line string, reader uint8) string {
	if len(l.hiddenNames) == 0 {
		return line
	}
	hidden := l.hiddenNames
	if p := l.player(reader); p != nil {
		hidden = slices.DeleteFunc(slices.Clone(hidden), func(v hiddenName) bool { return v.name == p.name })
	}
	return hideNames(line, hidden)
}

// hideNames replaces names in a line by player numbers, if they are not parts of longer words. If several names match at
// the same place, the longest counts.
func hideNames(line string, names []hiddenName) string {
	var b strings.Builder
	for at := 0; at < len(line); {
		_, size := utf8.DecodeRuneInString(line[at:])
		part, longest := line[at:at+size], 0
		for _, v := range names {
			if len(v.name) > longest && strings.HasPrefix(line[at:], v.name) && standsAlone(line, at, at+len(v.name)) {
				part, longest = number(v.pid), len(v.name)
			}
		}
		b.WriteString(part)
		at += max(longest, size)
	}
	return b.String()
}

// standsAlone reports whether line[begin:end] is not part of a longer word of Latin letters and digits.
func standsAlone(line string, begin, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:begin])
	first, _ := utf8.DecodeRuneInString(line[begin:end])
	last, _ := utf8.DecodeLastRuneInString(line[begin:end])
	after, _ := utf8.DecodeRuneInString(line[end:])
	return !(latin(before) && latin(first)) && !(latin(last) && latin(after))
}

func latin(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' }
