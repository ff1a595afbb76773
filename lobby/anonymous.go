package lobby

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Where names are hidden, others know a player by a number: in the 0x06 about them, by which clients show everybody,
// and in the lines of the host, which all pass here, whatever they are about.

// mostVeiled bounds the names that are kept from lines: those of all who have come lately.
const mostVeiled = 64

// veiled is a name that others are not to read.
type veiled struct {
	name string
	pid  uint8
}

// hides reports whether others know a player by a number.
func (l *Lobby) hides(p *player) bool { return l.cfg.Admission.Anonymous && !p.fake }

// shown returns the name under which others see a player.
func (l *Lobby) shown(p *player) string {
	if l.hides(p) {
		return number(p.pid)
	}
	return p.name
}

// clientName returns the name by which clients know a player: that with which the player's own client joined,
// unless names are hidden.
func (l *Lobby) clientName(p *player) string {
	if l.hides(p) {
		return number(p.pid)
	}
	return p.Req.Name
}

func number(pid uint8) string { return fmt.Sprintf("Player %d", pid) }

// veil keeps a player's name from lines from here on.
func (l *Lobby) veil(p *player) {
	if !l.hides(p) {
		return
	}
	l.veils = slices.DeleteFunc(l.veils, func(v veiled) bool { return v.name == p.name })
	l.veils = append(l.veils, veiled{p.name, p.pid})
	l.veils = l.veils[max(len(l.veils)-mostVeiled, 0):]
}

// anonymous is a line of the host for a reader, who may read the own name; 0: for several.
func (l *Lobby) anonymous(line string, reader uint8) string {
	if len(l.veils) == 0 {
		return line
	}
	hidden := l.veils
	if p := l.player(reader); p != nil {
		hidden = slices.DeleteFunc(slices.Clone(hidden), func(v veiled) bool { return v.name == p.name })
	}
	return hideNames(line, hidden)
}

// hideNames replaces names by those that others know these players by, where they stand alone. Where
// several begin at one place, the longest is meant.
func hideNames(line string, names []veiled) string {
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

// standsAlone reports whether a part of a line is no part of a longer word of Latin letters and digits.
func standsAlone(line string, begin, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:begin])
	first, _ := utf8.DecodeRuneInString(line[begin:end])
	last, _ := utf8.DecodeLastRuneInString(line[begin:end])
	after, _ := utf8.DecodeRuneInString(line[end:])
	return !(latin(before) && latin(first)) && !(latin(last) && latin(after))
}

func latin(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' }
