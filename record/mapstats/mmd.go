package mapstats

import (
	"math"
	"strconv"
	"strings"
)

// mmdFile is the game cache of W3MMD. A mission "val:n" carries message n in its
// key; "chk:n" is the sender's checksum of it and says nothing about the game.
const mmdFile = "MMD.Dat"

// mmd holds the definitions of a game so far.
type mmd struct {
	players map[string]string // the map's number of a player → name
	events  map[string]string // event → its text with {0} for the first argument
}

// maxDefinitions bounds each of the two tables.
const maxDefinitions = 512

// mmdReport takes a report; result has its source, sender and turn.
func (c *Collector) mmdReport(result Result, r report) {
	if !strings.HasPrefix(r.mission, "val:") {
		return
	}
	words := mmdWords(r.key)
	if len(words) == 0 {
		return
	}
	args := words[1:]
	switch op, n := words[0], len(args); {
	case op == "init" && n == 3 && args[0] == "pid":
		define(c.mmd.players, args[1], args[2])
	case op == "DefEvent" && n >= 3:
		define(c.mmd.events, args[0], args[n-1])
	case op == "VarP" && n == 4:
		c.mmdVar(c.mmdAbout(result, args[0]), args)
	case op == "FlagP" && n == 2:
		c.mmdFlag(c.mmdAbout(result, args[0]), args)
	case op == "Event" && n >= 1:
		text := substitute(c.mmd.events[args[0]], args[1:], maxValue)
		result.Value = strings.TrimSpace(args[0] + " " + text)
		c.event(result)
	}
}

// mmdVar is VarP <player> <variable> <operation> <value>.
func (c *Collector) mmdVar(result Result, args []string) {
	result.Name = args[1]
	switch args[2] {
	case "=":
		result.Value = args[3]
	case "+=", "-=":
		before, _ := c.value(subject{W3MMD, result.PID, result.About, cut(args[1])}, result.Sender)
		sum, ok := add(before, args[3], args[2] == "-=")
		if !ok {
			return
		}
		result.Value = sum
	default:
		return
	}
	c.set(result)
}

var mmdOutcomes = map[string]string{"winner": won, "loser": lost, "drawer": drew, "leaver": left}

// mmdFlag is FlagP <player> <flag>.
func (c *Collector) mmdFlag(result Result, args []string) {
	if value := mmdOutcomes[args[1]]; value != "" {
		result.Name, result.Value = outcome, value
	} else {
		result.Name, result.Value = "flag "+args[1], "true" // practicing
	}
	c.set(result)
}

// mmdAbout finds the player behind a number of the map: by the name that the
// map gave for it, else by the colour.
func (c *Collector) mmdAbout(result Result, number string) Result {
	name, named := c.mmd.players[number]
	p, in := c.find(func(p Player) bool { return p.Name == name })
	if colour, err := strconv.Atoi(number); !named && err == nil {
		p, in = c.byColour(colour)
	}
	result.PID = p.PID
	if !in {
		result.About = "player " + cut(number)
		if named {
			result.About = cut(name)
		}
	}
	return result
}

// add is before + change, or before - change, as whole numbers if both are.
func add(before, change string, minus bool) (string, bool) {
	if before == "" {
		before = "0"
	}
	if a, err := strconv.ParseInt(before, 10, 64); err == nil {
		if b, err := strconv.ParseInt(change, 10, 64); err == nil {
			return strconv.FormatInt(saturated(a, b, minus), 10), true
		}
	}
	a, errA := strconv.ParseFloat(before, 64)
	b, errB := strconv.ParseFloat(change, 64)
	if minus {
		b = -b
	}
	if errA != nil || errB != nil || math.IsNaN(a+b) || math.IsInf(a+b, 0) {
		return "", false
	}
	return strconv.FormatFloat(a+b, 'g', -1, 64), true
}

// saturated is a + b or a - b, or the end of the range that this is beyond.
func saturated(a, b int64, minus bool) int64 {
	n := a + b
	if minus {
		n = a - b
	}
	switch grows := b > 0 != minus; {
	case grows && n < a:
		return math.MaxInt64
	case !grows && n > a:
		return math.MinInt64
	}
	return n
}

// substitute replaces {0}, {1} … in a template by the arguments. The arguments are data: a {0} inside of one stays
// as it is. The result has at most limit bytes.
func substitute(template string, args []string, limit int) string {
	var text strings.Builder
	write := func(s string) { text.WriteString(s[:min(len(s), limit-text.Len())]) }
	for text.Len() < limit {
		before, rest, opened := strings.Cut(template, "{")
		write(before)
		if !opened {
			break
		}
		number, after, closed := strings.Cut(rest, "}")
		i, err := strconv.ParseUint(number, 10, 8)
		if !closed || err != nil || int(i) >= len(args) {
			write("{")
			template = rest
			continue
		}
		write(args[i])
		template = after
	}
	return text.String()
}

func define(table map[string]string, key, value string) {
	if _, known := table[key]; known || len(table) < maxDefinitions {
		table[key] = value
	}
}

// mmdWords splits a message at its spaces; a backslash before a space or a
// backslash keeps it.
func mmdWords(message string) []string {
	var words []string
	var word strings.Builder
	for i := 0; i < len(message); i++ {
		switch ch := message[i]; {
		case ch == '\\' && i+1 < len(message):
			i++
			word.WriteByte(message[i])
		case ch != ' ':
			word.WriteByte(ch)
		case word.Len() > 0:
			words = append(words, word.String())
			word.Reset()
		}
	}
	if word.Len() > 0 {
		words = append(words, word.String())
	}
	return words
}
