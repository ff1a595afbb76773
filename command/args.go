package command

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"w3host/w3gs"
)

// args are the words behind a command. The first fault stays.
type args struct {
	spec  *Spec
	left  string
	names []string
	err   error
}

func (a *args) fail(format string, values ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, values...)
	}
}

// optional takes the next word; empty when there is none.
func (a *args) optional() string {
	word, rest, _ := strings.Cut(a.left, " ")
	a.left = strings.TrimSpace(rest)
	return word
}

func (a *args) word(what string) string {
	w := a.optional()
	if w == "" {
		a.fail("the %s is missing", what)
	}
	return w
}

// take cuts the first n bytes off.
func (a *args) take(n int) string {
	part := a.left[:n]
	a.left = strings.TrimSpace(a.left[n:])
	return strings.TrimSpace(part)
}

// quoted takes what stands in quotes, if that comes next.
func (a *args) quoted() (text string, ok bool) {
	if !strings.HasPrefix(a.left, `"`) {
		return "", false
	}
	n := strings.IndexByte(a.left[1:], '"')
	if n < 0 {
		a.fail("the quote is not closed")
		return a.rest(), true
	}
	return strings.Trim(a.take(n+2), `"`), true
}

// player takes what is meant as a player's name, and leaves at least so many words
// behind it: what stands in quotes, else the most words that are in one of the
// names. Where no name is meant it takes one word, or all but those behind it.
func (a *args) player(behind int) string {
	if name, ok := a.quoted(); ok {
		return name
	}
	otherwise := 0
	for part, after := a.left, 0; part != ""; after++ {
		if after >= behind {
			if a.named(part) {
				return a.take(len(part))
			}
			if behind == 0 || otherwise == 0 {
				otherwise = len(part)
			}
		}
		part = strings.TrimRight(part[:max(strings.LastIndexByte(part, ' '), 0)], " ")
	}
	if otherwise == 0 {
		return a.word("player")
	}
	return a.take(otherwise)
}

// named reports whether a part is in a name.
func (a *args) named(part string) bool {
	part = strings.ToLower(part)
	return slices.ContainsFunc(a.names, func(name string) bool { return strings.Contains(strings.ToLower(name), part) })
}

// onlyPlayer takes the name of a player that nothing follows.
func (a *args) onlyPlayer() string {
	if name, ok := a.quoted(); ok {
		return name
	}
	return a.text("player")
}

// nameList takes names of one word, or in quotes.
func (a *args) nameList() (list []string) {
	for a.left != "" && a.err == nil {
		name, ok := a.quoted()
		if !ok {
			name = a.optional()
		}
		list = append(list, name)
	}
	if len(list) == 0 {
		a.fail("the name is missing")
	}
	return list
}

// rest takes all that is left.
func (a *args) rest() string {
	text := a.left
	a.left = ""
	return text
}

func (a *args) text(what string) string {
	if a.left == "" {
		a.fail("the %s is missing", what)
	}
	return a.rest()
}

func (a *args) number(what string, low, high int) int {
	w := a.word(what)
	n, err := strconv.Atoi(w)
	if w != "" && (err != nil || n < low || n > high) {
		a.fail("the %s must be from %d to %d", what, low, high)
	}
	return n
}

// ordinal takes a number from 1 whose end only the lobby knows. The wire has a
// byte for each of them.
func (a *args) ordinal(what string) int {
	w := a.word(what)
	n, err := strconv.Atoi(w)
	if w != "" && (err != nil || n < 1) {
		a.fail("the %s must be a number from 1", what)
	}
	return min(n, math.MaxUint8)
}

func (a *args) slot() int { return a.ordinal("slot") }

func (a *args) handicap() int {
	n := a.number("handicap", 50, 100)
	if n%10 != 0 {
		a.fail("the handicap must be from 50 to 100 in tens")
	}
	return n
}

func (a *args) slots() []int {
	list := []int{a.slot()}
	for a.left != "" && a.err == nil {
		list = append(list, a.slot())
	}
	return list
}

func (a *args) oneOf(words ...string) string {
	w := strings.ToLower(a.optional())
	if !slices.Contains(words, w) {
		a.fail("%q is none of %s", w, strings.Join(words, ", "))
	}
	return w
}

// colours are in the order of their numbers.
var colours = []string{
	"red", "blue", "teal", "purple", "yellow", "orange", "green", "pink", "gray", "lightblue", "darkgreen", "brown",
}

// colour takes a name, or a number from 1.
func (a *args) colour() uint8 {
	w := strings.ToLower(a.word("colour"))
	if i := slices.Index(colours, w); i >= 0 {
		return uint8(i)
	}
	n, err := strconv.Atoi(w)
	if w != "" && (err != nil || n < 1) {
		a.fail("%q is no colour: a number from 1, or %s", w, strings.Join(colours, ", "))
	}
	return uint8(min(max(n, 1), math.MaxUint8) - 1)
}

func (a *args) race() w3gs.Race {
	switch w := strings.ToLower(a.word("race")); w {
	case "human", "hu", "h":
		return w3gs.RaceHuman
	case "orc", "o":
		return w3gs.RaceOrc
	case "undead", "ud", "u":
		return w3gs.RaceUndead
	case "nightelf", "elf", "ne", "n":
		return w3gs.RaceNightElf
	case "random", "rnd", "r":
		return w3gs.RaceRandom
	default:
		a.fail("%q is no race: human, orc, undead, nightelf or random", w)
		return 0
	}
}
