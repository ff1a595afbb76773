package mapstats

import (
	"math"
	"strconv"
	"strings"
	"time"

	"w3host/protocol/w3gs"
)

// mmdFile is the game cache of W3MMD. A mission "val:n" carries message n in its
// key, and "chk:n", with the number as its key, the same value as "val:n": its checksum.
const (
	mmdFile  = "MMD.Dat"
	mmdText  = "val:"
	mmdCheck = "chk:"
)

// mmd is the state of a game's W3MMD so far.
type mmd struct {
	sequence
	players map[string]string  // the map's number of a player → name
	events  map[string]string  // event → its text with {0} for the first argument
	leavers map[subject]Result // players with the flag leaver, by their outcome
	order   []subject          // of leavers
}

// maxDefinitions bounds each of the tables.
const maxDefinitions = 512

// mmdReport takes a report of W3MMD.
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
		c.testify(W3MMD, sender, turn)
		c.mmd.vote(number, at, candidate{text, w3gs.Only(sender), sender, turn})
	}
}

// mmdNumber reads the number of a message, as the game writes it.
func mmdNumber(digits string) (uint32, bool) {
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), err == nil && strconv.FormatUint(n, 10) == digits
}

// settle applies the messages whose time has come.
func (c *Collector) settle(now time.Duration, end bool) {
	in := w3gs.PIDs(0)
	for _, p := range c.players {
		if _, gone := c.gone[p.PID]; !gone {
			in |= w3gs.Only(p.PID)
		}
	}
	c.mmd.settle(now, end, in, c.mmdApply, c.mmdContest)
}

// finishMMD adds what can be said at the end only.
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

// mmdApply carries a message out.
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

// mmdContest notes what a text would have changed.
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

// mmdVar is VarP <player> <variable> <operation> <value>.
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

// unquoted is a string without the quotes around it, or a number.
func unquoted(value string) string {
	if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' {
		return value[1 : n-1]
	}
	return value
}

// mmdFlag is FlagP <player> <flag>. Whoever leaves has an outcome of their own besides, or else that.
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
	c.weigh(&result)
	c.sheet.set(result)
}

// mmdOutcome is the result that a flag means.
func mmdOutcome(flag string) (name, value string) {
	switch flag {
	case "winner":
		return outcome, won
	case "loser":
		return outcome, lost
	case "drawer":
		return outcome, drew
	}
	return "flag " + flag, "true" // leaver, practicing
}

// mmdAbout finds the player behind a number of the map: by the name that the
// map gave for it, else by the colour. Of players with equal names the colour decides.
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
