package lobby

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"w3host/protocol/w3gs"
)

// Lines of the host come from the pid of the virtual host. If no pid is free for it, as in a full lobby and in the game,
// they come from the pid of a player, with "[name] " in front. Therefore players must not have a name like the host's,
// begin a line like the host, or insert a line break after which any text would look like a line of its own.

// hostName returns the name in front of the host's lines.
func (l *Lobby) hostName() string {
	return cmp.Or(w3gs.StripColours(l.cfg.Voice.VirtualHost), defaultVirtualHost)
}

// alike lists letters that people substitute for others, in addition to Unicode's confusable characters.
var alike = strings.NewReplacer("5", "s", "3", "e", "$", "s", "@", "a", "в", "b", "з", "e", "к", "k", "м", "rn", "н", "h", "т", "t", "β", "b", "ε", "e", "η", "n", "κ", "k", "τ", "t", "χ", "x", "ω", "w")

// Likeness returns a key that is equal for names that look alike: it ignores case and colour codes, and maps letters of
// different scripts, 0 and O, and 1, l and I to the same letter.
func Likeness(name string) string {
	plain := norm.NFKC.String(strings.TrimSpace(w3gs.StripColours(name)))
	for range 2 { // capitals have other look-alikes than small letters
		plain = strings.ToLower(skeleton(plain))
	}
	return strings.ReplaceAll(plain, "i", "l")
}

//go:generate sh -c "curl -fsS https://www.unicode.org/Public/security/latest/confusables.txt | go run -C ../tools ./confusables >confusables.new && mv confusables.new confusables.go"

// confusable maps letters to the text that they look like, as UTS 39 defines it.
var confusable = func() map[rune]string {
	texts := map[rune]string{}
	for line := range strings.Lines(confusableTable) {
		tab := strings.LastIndexByte(line, '\t') // one of the texts contains a tab
		for _, letter := range strings.TrimSuffix(line[tab+1:], "\n") {
			texts[letter] = line[:tab]
		}
	}
	return texts
}()

// skeleton returns the skeleton of a text by UTS 39, which is equal for texts that look alike. It does not ignore case.
func skeleton(s string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(s) {
		if text, ok := confusable[r]; ok {
			b.WriteString(text)
		} else {
			b.WriteRune(r)
		}
	}
	return norm.NFD.String(b.String())
}

// LookAlikes is the rule for names that look like that of an admin or of a present player.
type LookAlikes string

// The values of LookAlikes.
const (
	refuseLike LookAlikes = "refuse"
	markLike   LookAlikes = "mark" // announce it to all players
)

// twin returns the other name that a joiner's name looks like, or "".
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

// shape reduces a name to its letters and digits in their plain form.
func shape(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, alike.Replace(Likeness(name)))
}

// likeHost reports whether a name looks like the host's, with or without the number of a battle tag.
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

// Plain returns a player's line in a form that is safe to show to others: cleaned by w3gs.PlainLine, and with other
// brackets if it begins like a line of the host.
func (l *Lobby) Plain(text string) string { return l.unmarked(w3gs.PlainLine(text)) }

// unmarked rewrites a line that begins like one of the host.
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
