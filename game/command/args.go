package command

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// Args are the words behind a command. Each method takes the next words; the
// first fault stays.
type Args struct {
	left  string
	names []string // of the players, so that one with spaces can be told from what follows it
	err   error
}

// Fail notes a fault.
func (a *Args) Fail(format string, values ...any) {
	if a.err == nil {
		a.err = texts.Of(format, values...)
	}
}

// take cuts the first n bytes off.
func (a *Args) take(n int) string {
	part := a.left[:n]
	a.left = strings.TrimSpace(a.left[n:])
	return strings.TrimSpace(part)
}

// next is the next word, which is not taken.
func (a *Args) next() string {
	word, _, _ := strings.Cut(a.left, " ")
	return word
}

// Optional takes the next word; empty when there is none.
func (a *Args) Optional() string { return a.take(len(a.next())) }

// Word takes the next word, which must be there.
func (a *Args) Word(what string) string {
	a.need(what)
	return a.Optional()
}

func (a *Args) need(what string) {
	if a.left == "" {
		a.Fail("the %v is missing", texts.Known(what))
	}
}

// quoted takes a text in quotes, if that comes next; two quotes there are one of the text.
func (a *Args) quoted() (text string, ok bool) {
	if !strings.HasPrefix(a.left, `"`) {
		return "", false
	}
	for n := 1; n < len(a.left); n++ {
		switch {
		case a.left[n] != '"':
		case strings.HasPrefix(a.left[n+1:], `"`):
			n++
		default:
			return strings.ReplaceAll(a.take(n + 1)[1:n], `""`, `"`), true
		}
	}
	a.Fail("the closing quote is missing")
	return a.Rest(), true
}

// Phrase takes the next word, or several in quotes.
func (a *Args) Phrase(what string) string {
	if text, ok := a.quoted(); ok {
		return text
	}
	return a.Word(what)
}

// Player takes the words that are meant as a player's name, and leaves at least so many words
// behind it: a text in quotes, else the most words that are in one of the
// names. Where no name is meant it takes one word, or all but those behind it.
func (a *Args) Player(behind int) string {
	if name, ok := a.quoted(); ok {
		return name
	}
	var parts []string // that may be the name, the longest first
	for part, after := a.left, 0; part != ""; after++ {
		if after >= behind {
			parts = append(parts, part)
		}
		part = strings.TrimRight(part[:max(strings.LastIndexByte(part, ' '), 0)], " ")
	}
	if parts == nil {
		return a.Word("player")
	}
	i := slices.IndexFunc(parts, a.named)
	if i < 0 && behind == 0 {
		i = len(parts) - 1
	}
	return a.take(len(parts[max(i, 0)]))
}

// named reports whether a part is in a name.
func (a *Args) named(part string) bool {
	part = strings.ToLower(part)
	return slices.ContainsFunc(a.names, func(name string) bool { return strings.Contains(strings.ToLower(name), part) })
}

// OnlyPlayer takes the name of a player that nothing follows.
func (a *Args) OnlyPlayer() string {
	if name, ok := a.quoted(); ok {
		return name
	}
	return a.Text("player")
}

// NameList takes names of one word, or in quotes.
func (a *Args) NameList() []string { return list(a, func() string { return a.Phrase("name") }) }

// list takes one thing or more.
func list[T any](a *Args, read func() T) []T {
	all := []T{read()}
	for a.left != "" && a.err == nil {
		all = append(all, read())
	}
	return all
}

// Rest takes all that is left.
func (a *Args) Rest() string { return a.take(len(a.left)) }

// Text takes all that is left, which must be something.
func (a *Args) Text(what string) string {
	a.need(what)
	return a.Rest()
}

// Number takes a number within bounds.
func (a *Args) Number(what string, low, high int) int {
	return a.number(what, low, high, texts.Of("the %v must be from %d to %d", texts.Known(what), low, high))
}

// Before takes a number with the hyphen behind it, if the next word begins so: the 2- of 2-17. It
// is 0 if it does not.
func (a *Args) Before() int {
	digits, rest, found := strings.Cut(a.next(), "-")
	n, err := strconv.Atoi(digits)
	if !found || err != nil || n < 1 || rest == "" {
		return 0
	}
	a.left = a.left[len(digits)+1:]
	return n
}

func (a *Args) number(what string, low, high int, fault texts.Text) int {
	w := a.Word(what)
	n, err := strconv.Atoi(w)
	if w != "" && (err != nil || n < low || n > high) {
		a.Fail("%v", fault)
	}
	return n
}

// Ordinal takes a number from 1 whose end only the lobby knows. The wire has a
// byte for each of them.
func (a *Args) Ordinal(what string) int {
	n := a.number(what, 1, math.MaxInt, texts.Of("the %v must be a number from 1", texts.Known(what)))
	return min(n, math.MaxUint8)
}

// Assignment takes a number from 1 and the value assigned to it, if that comes next: 3=text, or
// "3=several words". The number is made an index.
func (a *Args) Assignment(what string) (index int, text string, ok bool) {
	number, _, assigned := strings.Cut(strings.TrimPrefix(a.left, `"`), "=")
	if !assigned || number == "" || strings.Trim(number, "0123456789") != "" {
		return 0, "", false
	}
	_, text, _ = strings.Cut(a.Phrase(what), "=")
	n := Args{left: number}
	if index = n.Ordinal(what) - 1; text == "" && n.err == nil {
		n.Fail("the player of slot %d is missing", index+1)
	}
	a.err = cmp.Or(a.err, n.err)
	return index, text, true
}

// Slot takes the number of a slot, from 1, and makes an index of it.
func (a *Args) Slot() int { return a.Ordinal("slot") - 1 }

// BeginsWithNumber reports whether the next word is a number.
func (a *Args) BeginsWithNumber() bool {
	return a.left != "" && strings.Trim(a.next(), "0123456789") == ""
}

// Slots takes one slot or more.
func (a *Args) Slots() []int { return list(a, a.Slot) }

// Handicap takes a percentage that the game knows.
func (a *Args) Handicap() uint8 {
	n := a.Number("handicap", 50, 100)
	if n%10 != 0 {
		a.Fail("the handicap must be 50, 60, 70, 80, 90 or 100")
	}
	return uint8(n)
}

// OneOf takes one of the words.
func (a *Args) OneOf(words ...string) string {
	w := strings.ToLower(a.Optional())
	switch {
	case w == "":
		a.Fail("one of %s is missing", strings.Join(words, ", "))
	case !slices.Contains(words, w):
		a.Fail("%q is not one of %s", w, strings.Join(words, ", "))
	}
	return w
}

// colours are in the order of their numbers.
var colours = []string{
	"red", "blue", "teal", "purple", "yellow", "orange", "green", "pink", "gray", "lightblue", "darkgreen", "brown",
}

// Colour takes a name, or a number from 1.
func (a *Args) Colour() uint8 {
	w := strings.ToLower(a.next())
	if i := slices.Index(colours, w); i >= 0 {
		a.Optional()
		return uint8(i)
	}
	n := a.number("colour", 1, math.MaxInt, texts.Of("%q is not a colour: use a number from 1, or %s", w, strings.Join(colours, ", ")))
	return uint8(min(max(n, 1), math.MaxUint8) - 1)
}

var races = map[string]w3gs.Race{
	"human": w3gs.RaceHuman, "hu": w3gs.RaceHuman, "h": w3gs.RaceHuman,
	"orc": w3gs.RaceOrc, "o": w3gs.RaceOrc,
	"undead": w3gs.RaceUndead, "ud": w3gs.RaceUndead, "u": w3gs.RaceUndead,
	"nightelf": w3gs.RaceNightElf, "elf": w3gs.RaceNightElf, "ne": w3gs.RaceNightElf, "n": w3gs.RaceNightElf,
	"random": w3gs.RaceRandom, "rnd": w3gs.RaceRandom, "r": w3gs.RaceRandom,
}

// Race takes the name of a race, or a short form of it.
func (a *Args) Race() uint8 {
	w := strings.ToLower(a.Word("race"))
	race, known := races[w]
	if !known {
		a.Fail("%q is not a race: use human, orc, undead, nightelf or random", w)
	}
	return uint8(race)
}

// Empty reports whether nothing is left.
func (a *Args) Empty() bool { return a.left == "" }

// Begins takes the next word if it is this one.
func (a *Args) Begins(word string) bool {
	if !strings.EqualFold(a.next(), word) {
		return false
	}
	a.Optional()
	return true
}

// Ends takes the last word off if it is this one.
func (a *Args) Ends(word string) bool {
	n := len(a.left) - len(word)
	if n < 0 || n > 0 && a.left[n-1] != ' ' || !strings.EqualFold(a.left[n:], word) {
		return false
	}
	a.left = strings.TrimSpace(a.left[:n])
	return true
}

// Is takes the rest if it is just this word.
func (a *Args) Is(word string) bool { return strings.EqualFold(a.left, word) && a.Begins(word) }
