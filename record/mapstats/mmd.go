package mapstats

import (
	"math"
	"strconv"
	"strings"
	"time"

	"w3host/protocol/w3gs"
)

// mmdFile is the game cache of W3MMD. The mission "val:n" has the text of message n as its key. The mission
// "chk:n" has the number as its key and repeats the value of "val:n", a checksum of the text.
const (
	mmdFile  = "MMD.Dat"
	mmdText  = "val:"
	mmdCheck = "chk:"
)

// mmd is the W3MMD state of a game.
type mmd struct {
	sequence
	players map[string]string  // player names by the map's player number
	events  map[string]string  // templates of event texts by event name; {0} is the first argument
	leavers map[subject]Result // outcome "left" of players with the flag leaver
	order   []subject          // keys of leavers, in order
}

// maxDefinitions limits the entries of each table.
const maxDefinitions = 512

// mmdReport processes a W3MMD report.
func (c *Collector) mmdReport(turn uint32, at time.Duration, sender uint8, r Report) {
	kind, digits := r.Mission[:min(len(mmdText), len(r.Mission))], r.Mission[min(len(mmdText), len(r.Mission)):]
	number, ok := mmdNumber(digits)
	switch {
	case r.Mission == hidden:
		c.mmd.incomplete = true
	case ok && strings.EqualFold(kind, mmdText):
		c.mmd.note(sender, unchecked{number, r.Value, r.Key})
	case ok && strings.EqualFold(kind, mmdCheck) && digits == r.Key:
		text, known := c.mmd.check(sender, number, r.Value)
		if !known {
			return
		}
		c.noteSender(W3MMD, sender, turn)
		c.mmd.vote(number, at, candidate{text, w3gs.Only(sender), sender, turn})
	}
}

// mmdNumber parses a message number, in exactly the form that the game writes.
func mmdNumber(digits string) (uint32, bool) {
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), err == nil && strconv.FormatUint(n, 10) == digits
}

// settle applies the messages whose waiting time has passed.
func (c *Collector) settle(now time.Duration, end bool) {
	in := w3gs.PIDs(0)
	for _, p := range c.players {
		if _, gone := c.gone[p.PID]; !gone {
			in |= w3gs.Only(p.PID)
		}
	}
	c.mmd.settle(now, end, in, c.mmdApply, c.mmdContest)
}

// finishMMD adds the results that are only known at the end.
func (c *Collector) finishMMD() {
	for _, who := range c.mmd.order {
		if r := c.mmd.leavers[who]; len(c.sheet.index[who]) == 0 {
			c.sheet.set(r)
		}
	}
	if c.mmd.disputed {
		for i := range c.sheet.results {
			r := &c.sheet.results[i]
			r.Contradicts = r.Contradicts || r.Source == W3MMD
		}
	}
	for _, state := range []struct {
		is   bool
		name string
	}{{c.mmd.incomplete, "messages incomplete"}, {c.mmd.disputed, "messages disputed"}} {
		if state.is {
			c.sheet.set(Result{Source: W3MMD, Name: state.name, Value: "true"})
		}
	}
}

// mmdApply executes a message.
func (c *Collector) mmdApply(m *candidate) {
	words := mmdWords(m.text)
	if len(words) == 0 {
		return
	}
	result := Result{Source: W3MMD, Sender: m.sender, Turn: m.turn}
	args := words[1:]
	switch op, n := words[0], len(args); {
	case op == "init" && n == 3 && args[0] == "pid":
		define(c.mmd.players, args[1], args[2])
	case op == "DefEvent" && n >= 3:
		define(c.mmd.events, args[0], args[n-1])
	case op == "VarP" && n == 4:
		c.mmdVar(c.mmdAbout(result, args[0]), args)
	case op == "FlagP" && n == 2:
		c.mmdFlag(c.mmdAbout(result, args[0]), args[1])
	case op == "Event" && n >= 1:
		text := substitute(c.mmd.events[args[0]], args[1:], maxValue)
		result.Value = strings.TrimSpace(args[0] + " " + text)
		c.sheet.event(result)
	}
}

// mmdContest records the value of a disputed message as contradicting.
func (c *Collector) mmdContest(m *candidate) {
	words := mmdWords(m.text)
	result := Result{Source: W3MMD, Sender: m.sender, Turn: m.turn}
	switch n := len(words); {
	case n == 5 && words[0] == "VarP":
		result = c.mmdAbout(result, words[1])
		result.Name, result.Value = words[2], strings.TrimPrefix(words[3]+" "+words[4], "= ")
	case n == 3 && words[0] == "FlagP":
		result = c.mmdAbout(result, words[1])
		result.Name, result.Value = mmdOutcome(words[2])
	default:
		return
	}
	c.sheet.contest(result)
}

// mmdVar executes VarP <player> <variable> <operation> <value>.
func (c *Collector) mmdVar(result Result, args []string) {
	result.Name = cut(args[1])
	switch args[2] {
	case "=":
		result.Value = unquoted(args[3])
	case "+=", "-=":
		sum, ok := add(c.sheet.value(result.subject()), args[3], args[2] == "-=")
		if !ok {
			return
		}
		result.Value = sum
	default:
		return
	}
	c.sheet.set(result)
}

// unquoted removes the quotes around a string value; numbers have none.
func unquoted(value string) string {
	if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' {
		return value[1 : n-1]
	}
	return value
}

// mmdFlag executes FlagP <player> <flag>. The flag leaver does not replace an outcome: only players without
// one get the outcome "left".
func (c *Collector) mmdFlag(result Result, flag string) {
	if flag == "leaver" {
		away := result
		away.Name, away.Value = outcome, left
		if _, known := c.mmd.leavers[away.subject()]; !known && len(c.mmd.leavers) < maxDefinitions {
			c.mmd.leavers[away.subject()] = away
			c.mmd.order = append(c.mmd.order, away.subject())
		}
	}
	result.Name, result.Value = mmdOutcome(flag)
	c.checkQuorum(&result)
	c.sheet.set(result)
}

// mmdOutcome returns the name and value of the result for a flag.
func mmdOutcome(flag string) (name, value string) {
	switch flag {
	case "winner":
		return outcome, won
	case "loser":
		return outcome, lost
	case "drawer":
		return outcome, drew
	}
	return "flag " + flag, "true" // leaver and practicing
}

// mmdAbout fills in the player with the map's number: the one with the name that the map defined for it,
// otherwise the one with that colour. Among players with equal names the colour decides.
func (c *Collector) mmdAbout(result Result, number string) Result {
	name, named := c.mmd.players[number]
	colour, err := strconv.Atoi(number)
	p, in := c.find(func(p Player) bool {
		return err == nil && int(p.Colour) == colour && (!named || p.Name == name || p.Name == "")
	})
	if !in && named {
		p, in = c.find(func(p Player) bool { return p.Name == name })
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

// add returns before + change, or before - change if minus is set, as an integer if both are integers. It
// returns false for values that are not numbers.
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

// saturated returns a + b, or a - b if minus is set, limited to the range of int64.
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

// substitute replaces {0}, {1} and so on in a template by the arguments. Placeholders inside arguments are
// not replaced. The result is truncated to limit bytes.
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

// mmdWords splits a message at spaces. A backslash escapes a space or a backslash.
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
