package logging

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/terminal"
)

// Lines are wrapped at the width of the terminal, or at lineWidth columns if it is unknown. Terminals narrower than
// leastWidth wrap lines themselves.
const (
	lineWidth  = 100
	leastWidth = 30
)

// sentences maps log messages to sentences; {key} is the value of a field. Messages with an empty sentence are shown
// only at level debug.
var sentences = map[string]string{
	"w3host starts":                     "w3host {version} starts with {config}",
	"database schema migrated":          "",
	"command":                           "", // the caller has read the answer
	"command refused":                   "",
	"lobby open":                        `lobby "{name}" is open: {slots} slots, {map}`,
	"lobby closed":                      "lobby closed: {reason}",
	"countdown":                         "starts in {seconds} s",
	"countdown stopped":                 "countdown stopped: {reason}",
	"game started, players are loading": "started: {players} players on {title}",
	"all have loaded":                   "all have loaded after {after}",
	"latency changed":                   "the latency is now {period}",
	"lag screen up":                     "lag screen at turn {turn}, laggers: {laggers}",
	"player dropped":                    "{player} was dropped at turn {turn}: {reason}",
	"game over":                         "over: {how}; played {played}, {turns} turns",
	"how late turns were sent":          "{turns} turns sent; 99 % at most {late_p99_ms} ms late, 99.9 % at most {late_p999_ms} ms",
	"maps folder read":                  "{maps} maps in {folder}, {broken} broken",
}

// single matches plurals that should be singular.
var single = regexp.MustCompile(`\b1 (player|slot|turn|map)s\b`)

// fieldOrder lists the fields shown first; others follow in alphabetical order. fieldDetails are shown only at level
// debug.
var (
	fieldOrder   = []string{"map", "player", "name", "addr", "slot", "pid", "turn", "reason", "after", "took"}
	fieldDetails = []string{"part", "pid", "turn", "players", "stood", "host_late", "listen", "key"}
)

// sentenceWriter converts log lines for people: the time, #N for a game, and a sentence. Each Write must be one line of
// JSON. Lines about a single player or connection, and most fields at level info, are shown only at level debug.
type sentenceWriter struct {
	out    io.Writer
	colour bool
	all    bool // level debug
}

func (c sentenceWriter) Write(line []byte) (int, error) {
	var fields map[string]any
	in := json.NewDecoder(bytes.NewReader(line))
	in.UseNumber()
	if err := in.Decode(&fields); err != nil {
		return c.out.Write(line)
	}
	if text := c.text(fields); text != "" {
		if _, err := c.out.Write([]byte(text)); err != nil {
			return 0, err
		}
	}
	return len(line), nil
}

// text returns the line, or "" if it is not shown.
func (c sentenceWriter) text(fields map[string]any) string {
	take := func(key string) string {
		v := valueText(fields[key])
		delete(fields, key)
		return v
	}
	at, level, game, text := take(zerolog.TimestampFieldName), take(zerolog.LevelFieldName), take("game"), take(zerolog.MessageFieldName)
	_, player := fields["player"]
	_, addr := fields["addr"]
	_, part := fields["part"]
	if level == "info" && !c.all && (player || addr && !part) {
		return ""
	}
	sentence, known := sentences[text]
	switch {
	case known && sentence == "" && !c.all:
		return ""
	case known && sentence != "":
		text = fill(sentence, fields, take)
	}
	if fault := take(zerolog.ErrorFieldName); fault != "" {
		text += ": " + fault
	}
	if level == "info" && !c.all {
		delete(fields, "map") // the sentence contains it if it matters
	}
	if !known || c.all {
		text += c.rest(fields)
	}
	text = single.ReplaceAllString(text, "1 $1")
	if game != "" {
		text = "#" + game + " " + text
	}
	return c.layout(at, level, terminal.Printable(text))
}

// place matches the placeholder of a field in a sentence.
var place = regexp.MustCompile(`\{\w+\}`)

// fill replaces the placeholders of a sentence by fields, and removes these fields. Values are not searched for
// placeholders, because they can come from players. Each placeholder and field is used once.
func fill(sentence string, fields map[string]any, take func(string) string) string {
	return place.ReplaceAllStringFunc(sentence, func(text string) string {
		key := strings.Trim(text, "{}")
		if _, given := fields[key]; !given {
			return text
		}
		return take(key)
	})
}

// rest lists the fields not used by the sentence.
func (c sentenceWriter) rest(fields map[string]any) string {
	rank := func(key string) int {
		if i := slices.Index(fieldOrder, key); i >= 0 {
			return i
		}
		return len(fieldOrder)
	}
	keys := slices.SortedFunc(maps.Keys(fields), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	var b strings.Builder
	for _, key := range keys {
		v := valueText(fields[key])
		if v == "" || !c.all && slices.Contains(fieldDetails, key) {
			continue
		}
		if strings.ContainsAny(v, " =") {
			v = fmt.Sprintf("%q", v)
		}
		b.WriteString("  " + key + "=" + v)
	}
	return b.String()
}

// valueText returns the text of a field, or "" for null, "" and []. Durations are rounded.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		if d, err := time.ParseDuration(v); err == nil {
			return rounded(d).String()
		}
		return v
	case json.Number:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	case []any:
		if len(v) == 0 {
			return ""
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// rounded rounds a duration to two or three digits.
func rounded(d time.Duration) time.Duration {
	switch {
	case d.Abs() < time.Millisecond:
		return d.Round(time.Microsecond)
	case d.Abs() < time.Second:
		return d.Round(time.Millisecond)
	case d.Abs() < 10*time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}

// layout adds time and level and wraps the text.
func (c sentenceWriter) layout(at, level, text string) string {
	if t, err := time.Parse(zerolog.TimeFieldFormat, at); err == nil {
		at = t.Local().Format(time.TimeOnly)
	}
	tag, colour := "", ""
	switch level {
	case "debug", "trace":
		tag, colour = "debug: ", "90"
	case "warn":
		tag, colour = "warning: ", "33"
	case "error", "fatal", "panic":
		tag, colour = "error: ", "31"
	}
	indent := terminal.Columns(at) + 2
	lines := terminal.Wrap(tag+text, max(cmp.Or(terminal.Width(c.out), lineWidth), leastWidth)-indent)
	if c.colour {
		at = "\x1b[90m" + at + "\x1b[0m"
		if rest, ok := strings.CutPrefix(lines[0], tag); ok && tag != "" {
			lines[0] = "\x1b[" + colour + "m" + tag + "\x1b[0m" + rest
		}
	}
	return at + "  " + strings.Join(lines, "\n"+strings.Repeat(" ", indent)) + "\n"
}
