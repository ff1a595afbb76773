package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"w3host/w3gs"
)

// Call is a command that somebody typed.
type Call struct {
	Spec    Spec
	Command Command
	Needs   Level // who may do this; asking may need less than setting
}

// Parse reads a line without its trigger. The error is one line for whoever
// typed it.
func Parse(line string) (Call, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	name = strings.ToLower(name)
	spec, ok := Find(name)
	if !ok {
		return Call{}, fmt.Errorf("there is no command %q: help lists them", name)
	}
	a := &args{spec: &spec, left: strings.TrimSpace(rest)}
	call := Call{Spec: spec, Needs: spec.Level}
	if a.left == "" && spec.AskAnyone {
		call.Needs = Anyone
	}
	call.Command = spec.parse(a)
	if a.err == nil && a.left != "" {
		a.fail("%q is too much", a.left)
	}
	if a.err != nil {
		return Call{Spec: spec, Needs: call.Needs}, fmt.Errorf("%w: write %s", a.err, spec.Synopsis())
	}
	return call, nil
}

// Synopsis is the command with its arguments.
func (s Spec) Synopsis() string { return strings.TrimSpace(s.Name + " " + s.Usage) }

// args are the words behind a command. The first fault stays.
type args struct {
	spec *Spec
	left string
	err  error
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

func (a *args) words(what string) []string {
	list := strings.Fields(a.left)
	a.left = ""
	if len(list) == 0 {
		a.fail("the %s is missing", what)
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
		a.fail("%q is no %s from %d to %d", w, what, low, high)
	}
	return n
}

func (a *args) slot() int { return a.number("slot", 1, w3gs.MaxSlots) }

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
	if w != "" && (err != nil || n < 1 || n > w3gs.MaxSlots) {
		a.fail("%q is no colour: a number from 1, or %s", w, strings.Join(colours, ", "))
	}
	return uint8(max(n, 1) - 1)
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

func parseStart(a *args) Command {
	switch w := strings.ToLower(a.optional()); w {
	case "":
		return Start{}
	case "force":
		return Start{Force: true}
	case "now":
		return Start{Force: true, Now: true}
	default:
		a.fail("%q is neither force nor now", w)
		return Start{}
	}
}

func parseAutoStart(a *args) Command {
	if strings.EqualFold(a.left, "off") {
		a.left = ""
		return AutoStart{Off: true}
	}
	c := AutoStart{Players: a.number("number of players", 1, w3gs.MaxSlots)}
	if a.left != "" {
		c.Hold = time.Duration(a.number("number of minutes", 0, 24*60)) * time.Minute
	}
	return c
}

func parseComputer(a *args) Command {
	c := Computer{Slot: a.slot(), AI: w3gs.AINormal}
	switch w := strings.ToLower(a.optional()); w {
	case "", "normal":
	case "easy":
		c.AI = w3gs.AIEasy
	case "insane":
		c.AI = w3gs.AIInsane
	default:
		a.fail("%q is none of easy, normal, insane", w)
	}
	return c
}

func parseFakePlayer(a *args) Command {
	if a.left == "" {
		return FakePlayer{Count: 1}
	}
	return FakePlayer{Count: a.number("number of players", 1, w3gs.MaxSlots)}
}

func parseLatency(a *args) Command {
	if a.left == "" {
		return Latency{}
	}
	return Latency{time.Duration(a.number("number of milliseconds", 20, 500)) * time.Millisecond}
}

func parseSyncLimit(a *args) Command {
	if a.left == "" {
		return SyncLimit{}
	}
	return SyncLimit{a.number("number of turns", 2, 10000)}
}

func parsePing(a *args) Command {
	if a.left == "" {
		return Ping{}
	}
	return Ping{time.Duration(a.number("number of milliseconds", 1, 60000)) * time.Millisecond}
}
