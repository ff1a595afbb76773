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

// Args are the arguments of a command. Each method consumes the next words; the first error is kept and reported at the
// end.
type Args struct {
	left  string
	names []string // names of the players, to find the end of a name with spaces
	err   error
}

// Fail records an error unless there is one already.
func (a *Args) Fail(format string, values ...any) {
	if a.err == nil {
		a.err = texts.Of(format, values...)
	}
}

// take removes and returns the first n bytes.
func (a *Args) take(n int) string {
	part := a.left[:n]
	a.left = strings.TrimSpace(a.left[n:])
	return strings.TrimSpace(part)
}

// next returns the next word without consuming it.
func (a *Args) next() string {
	word, _, _ := strings.Cut(a.left, " ")
	return word
}

// Optional returns the next word, or "" if there is none.
func (a *Args) Optional() string { return a.take(len(a.next())) }

// Word returns the next word, which is required; what names it in the error.
func (a *Args) Word(what string) string {
	a.need(what)
	return a.Optional()
}

func (a *Args) need(what string) {
	if a.left == "" {
		a.Fail("the %v is missing", texts.Known(what))
	}
}

// quoted returns a quoted text if one comes next. A doubled quote inside stands for one quote.
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

// Phrase returns the next word, or several words in quotes.
func (a *Args) Phrase(what string) string {
	if text, ok := a.quoted(); ok {
		return text
	}
	return a.Word(what)
}

// Player returns the words that name a player and leaves at least behind words after them: a quoted text, otherwise as
// many words as occur together in a player's name. If no name matches, it takes one word, or all if behind is 0.
func (a *Args) Player(behind int) string {
	if name, ok := a.quoted(); ok {
		return name
	}
	var parts []string // candidates for the name, the longest first
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

// named reports whether part occurs in a player's name.
func (a *Args) named(part string) bool {
	part = strings.ToLower(part)
	return slices.ContainsFunc(a.names, func(name string) bool { return strings.Contains(strings.ToLower(name), part) })
}

// OnlyPlayer returns a player's name that takes all remaining words.
func (a *Args) OnlyPlayer() string {
	if name, ok := a.quoted(); ok {
		return name
	}
	return a.Text("player")
}

// NameList returns one or more names, each a word or quoted.
func (a *Args) NameList() []string { return list(a, func() string { return a.Phrase("name") }) }

// list reads one or more values until the arguments are used up.
func list[T any](a *Args, read func() T) []T {
	all := []T{read()}
	for a.left != "" && a.err == nil {
		all = append(all, read())
	}
	return all
}

// Rest returns all remaining words.
func (a *Args) Rest() string { return a.take(len(a.left)) }

// Text returns all remaining words, of which there must be at least one.
func (a *Args) Text(what string) string {
	a.need(what)
	return a.Rest()
}

// Number returns a number from low to high.
func (a *Args) Number(what string, low, high int) int {
	return a.number(what, low, high, texts.Of("the %v must be from %d to %d", texts.Known(what), low, high))
}

// Before returns the number before a hyphen in the next word, such as 2 for 2-17, and consumes it with the hyphen. It
// returns 0 if there is none.
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

// Ordinal returns a number from 1 on, limited to 255. Only the lobby knows the real limit.
func (a *Args) Ordinal(what string) int {
	n := a.number(what, 1, math.MaxInt, texts.Of("the %v must be a number from 1", texts.Known(what)))
	return min(n, math.MaxUint8)
}

// Assignment returns a number from 1 on, as an index from 0, and its value, if the next argument has the form 3=text or
// "3=several words".
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

// Slot returns the index of a slot that is given by its number from 1.
func (a *Args) Slot() int { return a.Ordinal("slot") - 1 }

// BeginsWithNumber reports whether the next word is a number.
func (a *Args) BeginsWithNumber() bool {
	return a.left != "" && strings.Trim(a.next(), "0123456789") == ""
}

// Slots returns one or more slot indexes.
func (a *Args) Slots() []int { return list(a, a.Slot) }

// Handicap returns a valid handicap in percent.
func (a *Args) Handicap() uint8 {
	n := a.Number("handicap", 50, 100)
	if n%10 != 0 {
		a.Fail("the handicap must be 50, 60, 70, 80, 90 or 100")
	}
	return uint8(n)
}

// OneOf returns the next word, which must be one of words.
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

// colours are the names of the player colours by number.
var colours = []string{
	"red", "blue", "teal", "purple", "yellow", "orange", "green", "pink", "gray", "lightblue", "darkgreen", "brown",
}

// Colour returns a colour given by name or by number from 1.
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

// Race returns a race given by name or abbreviation.
func (a *Args) Race() uint8 {
	w := strings.ToLower(a.Word("race"))
	race, known := races[w]
	if !known {
		a.Fail("%q is not a race: use human, orc, undead, nightelf or random", w)
	}
	return uint8(race)
}

// Empty reports whether no arguments are left.
func (a *Args) Empty() bool { return a.left == "" }

// Begins consumes the next word if it is word, ignoring case.
func (a *Args) Begins(word string) bool {
	if !strings.EqualFold(a.next(), word) {
		return false
	}
	a.Optional()
	return true
}

// Ends consumes the last word if it is word, ignoring case.
func (a *Args) Ends(word string) bool {
	n := len(a.left) - len(word)
	if n < 0 || n > 0 && a.left[n-1] != ' ' || !strings.EqualFold(a.left[n:], word) {
		return false
	}
	a.left = strings.TrimSpace(a.left[:n])
	return true
}

// Is consumes the remaining arguments if they are just word.
func (a *Args) Is(word string) bool { return strings.EqualFold(a.left, word) && a.Begins(word) }
