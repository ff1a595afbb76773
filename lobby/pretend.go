package lobby

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mtibben/confusables"
	"golang.org/x/text/unicode/norm"

	"w3host/protocol/w3gs"
)

// Lines of the host come from a pid with the host's name. Where no pid is free for it, in a
// full lobby and in the game, they come from that of a player, with "[name] " before them.
// So players must not be called like the host, nor begin a line like it, nor make clients
// break a line, after which anything looks like a line of its own.

// hostName returns the name that stands before lines of the host.
func (l *Lobby) hostName() string {
	return cmp.Or(w3gs.StripColours(l.cfg.Voice.VirtualHost), defaultVirtualHost)
}

// alike are letters that people write for others, beside those that Unicode has as confusable.
var alike = strings.NewReplacer("5", "s", "3", "e", "$", "s", "@", "a", "в", "b", "з", "e", "к", "k", "м", "rn", "н", "h", "т", "t", "β", "b", "ε", "e", "η", "n", "κ", "k", "τ", "t", "χ", "x", "ω", "w")

// Likeness is the same for names that are taken for each other: letters of one script that look like those of
// another, capital and small ones, 0 and O, 1, l and I. A small i goes with its capital.
func Likeness(name string) string {
	plain := norm.NFKC.String(strings.TrimSpace(w3gs.StripColours(name)))
	for range 2 { // capitals look like others than small letters
		plain = strings.ToLower(confusables.Skeleton(plain))
	}
	return strings.ReplaceAll(plain, "i", "l")
}

// LookAlikes sets what happens to names that are taken for an admin's or for that of a player
// who is in.
type LookAlikes string

// The choices of LookAlikes.
const (
	refuseLike LookAlikes = "refuse"
	markLike   LookAlikes = "mark" // everybody reads it
)

// twin is the other name that a joiner's is taken for; empty: none.
func (l *Lobby) twin(j Join) string {
	if j.Exempt {
		return ""
	}
	if j.Like != "" || l.cfg.Admission.LookAlikes == "" {
		return j.Like
	}
	likeness := Likeness(j.Req.Name)
	for _, p := range l.players {
		if p != nil && p.likeness == likeness && !(l.version().SharesNames() && sameName(p.Req.Name, j.Req.Name)) {
			return p.name
		}
	}
	return ""
}

// shape reduces a name to its look at a glance: letters and digits, in their plain form.
func shape(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, alike.Replace(Likeness(name)))
}

// likeHost reports whether a name looks like the host's, with or without the number of a
// battle tag.
func (l *Lobby) likeHost(name string) bool {
	if own, tag := w3gs.CutTag(name); tag && l.likeHost(own) {
		return true
	}
	if l.cfg.Voice.VirtualHost == "" {
		return sameName(name, defaultVirtualHost)
	}
	s := shape(l.hostName())
	return sameName(name, l.hostName()) || s != "" && shape(name) == s
}

// Plain returns a player's line for others: as w3gs.PlainLine does, and with other brackets if it begins like a line of
// the host.
func (l *Lobby) Plain(text string) string { return l.unmarked(w3gs.PlainLine(text)) }

// unmarked changes a line that begins like one of the host.
func (l *Lobby) unmarked(line string) string {
	first, n := utf8.DecodeRuneInString(strings.TrimSpace(line))
	if n == 0 || unicode.IsLetter(first) || unicode.IsDigit(first) {
		return line
	}
	host := shape(l.hostName())
	rest := strings.TrimSpace(line)[n:]
	end := strings.IndexFunc(rest, func(r rune) bool {
		return unicode.In(r, unicode.Pe, unicode.Pf) || strings.ContainsRune(">|:", r)
	})
	if end < 0 || host == "" || shape(rest[:end]) != host {
		return line
	}
	_, closing := utf8.DecodeRuneInString(rest[end:])
	return "(" + strings.TrimSpace(rest[:end]) + "?)" + rest[end+closing:]
}
