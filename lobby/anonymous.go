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

// shown is what others call a player.
func (l *Lobby) shown(p *player) string {
	if !l.cfg.Admission.Anonymous || p.fake {
		return p.name
	}
	return number(p.pid)
}

func number(pid uint8) string { return fmt.Sprintf("Player %d", pid) }

// veil keeps a player's name from lines from here on.
func (l *Lobby) veil(p *player) {
	if !l.cfg.Admission.Anonymous || p.fake {
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
	own := ""
	if p := l.player(reader); p != nil {
		own = p.name
	}
	longestFirst := slices.SortedStableFunc(slices.Values(l.veils), func(a, b veiled) int { return len(b.name) - len(a.name) })
	for _, v := range longestFirst {
		if v.name != own {
			line = replaceName(line, v.name, number(v.pid))
		}
	}
	return line
}

// replaceName replaces a name where it is not a part of a longer word of Latin letters and digits.
func replaceName(line, name, by string) string {
	var b strings.Builder
	for {
		i := strings.Index(line, name)
		if i < 0 || name == "" {
			return b.String() + line
		}
		end := i + len(name)
		before, _ := utf8.DecodeLastRuneInString(line[:i])
		after, _ := utf8.DecodeRuneInString(line[end:])
		first, _ := utf8.DecodeRuneInString(name)
		last, _ := utf8.DecodeLastRuneInString(name)
		if latin(before) && latin(first) || latin(last) && latin(after) {
			_, size := utf8.DecodeRuneInString(line[i:])
			b.WriteString(line[:i+size])
			line = line[i+size:]
			continue
		}
		b.WriteString(line[:i] + by)
		line = line[end:]
	}
}

func latin(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' }
