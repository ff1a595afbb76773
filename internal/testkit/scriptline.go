package testkit

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// ScriptLine is a parsed line of a script: name, arguments, key=value options, and the text after ": ". Err
// is the first parse error.
type ScriptLine struct {
	Name    string
	Args    []string
	Options map[string]string
	Text    string
	Err     error
}

// ParseLine splits a line into its parts.
func ParseLine(line string) *ScriptLine {
	head, text, _ := strings.Cut(line, ": ")
	l := &ScriptLine{Options: map[string]string{}, Text: text}
	for i, word := range strings.Fields(head) {
		key, value, isOption := strings.Cut(word, "=")
		switch {
		case i == 0:
			l.Name = word
		case isOption:
			l.Options[key] = value
		default:
			l.Args = append(l.Args, word)
		}
	}
	return l
}

// At returns the time at the start of a line and shifts the name to the next word.
func (l *ScriptLine) At() time.Duration {
	at, err := time.ParseDuration(l.Name)
	l.Fail(err)
	if l.Name = l.Arg(0); l.Name != "" {
		l.Args = l.Args[1:]
	}
	return at
}

// Fail keeps the first error.
func (l *ScriptLine) Fail(err error) {
	if l.Err == nil {
		l.Err = err
	}
}

// Arg returns an argument, or "".
func (l *ScriptLine) Arg(i int) string {
	if i < len(l.Args) {
		return l.Args[i]
	}
	return ""
}

// Number parses 12 or 0x0C; "" is 0.
func (l *ScriptLine) Number(s string) int {
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 0, 64)
	l.Fail(err)
	return int(n)
}

// Int returns an argument as a number.
func (l *ScriptLine) Int(i int) int { return l.Number(l.Arg(i)) }

// Duration parses an argument such as 1.5s.
func (l *ScriptLine) Duration(i int) time.Duration {
	d, err := time.ParseDuration(l.Arg(i))
	l.Fail(err)
	return d
}

// Has reports whether a word is among the arguments.
func (l *ScriptLine) Has(word string) bool { return slices.Contains(l.Args, word) }

// Option returns the value of an option, or otherwise if it is absent.
func (l *ScriptLine) Option(key, otherwise string) string {
	if value, ok := l.Options[key]; ok {
		return value
	}
	return otherwise
}
