// Package texts holds the texts that players read, in every language the host speaks.
//
// A sentence is written where it is needed, in English, as a format. The
// catalogue of another language is keyed by it, as that of gettext, so that a
// sentence without a translation is read in English.
package texts

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Text is a sentence that is not yet in any language. It is an error too, so that
// a refusal can be one.
type Text struct {
	format       string
	many         string // the format of more things, for a Count of one
	args         []any
	begins, ends bool // as a sentence does; see Sentence
}

// translated is an argument of a Text that depends on the language: another
// Text, a refusal, a name of something.
type translated interface{ In(Language) string }

// Of makes a Text of an English format, which is the key of its translations.
func Of(format string, args ...any) Text {
	if false {
		_ = fmt.Sprintf(format, args...) // lets go vet check the callers' formats
	}
	return Text{format: format, args: args}
}

// Plain is a text that is the same in every language: one that somebody has typed.
func Plain(text string) Text {
	if text == "" {
		return Text{}
	}
	return Text{format: "%s", args: []any{text}}
}

// Known is a whole sentence that is only known at run time, and translated if
// the catalogue has it.
func Known(sentence string) Text { return Text{format: sentence} }

// From is the text of an error.
func From(err error) Text { return Text{format: "%v", args: []any{err}} }

// Join puts texts behind each other.
func Join(list []Text, sep string) Text {
	sep = strings.ReplaceAll(sep, "%", "%%")
	t := Text{format: strings.TrimSuffix(strings.Repeat("%v"+sep, len(list)), sep)}
	for _, item := range list {
		t.args = append(t.args, item)
	}
	return t
}

// Either is a choice of names, of which there is at least one.
func Either(names []string) Text {
	t := Plain(names[0])
	for _, name := range names[1:] {
		t = Of("%v or %v", t, name)
	}
	return t
}

// Count is a number of things: the singular of its format for 1. Both formats
// have one verb, for the number. A language without a singular has the translation of
// the other alone.
func Count(n int, one, many string) Text {
	if n == 1 {
		return Text{format: one, many: many, args: []any{n}}
	}
	return Text{format: many, args: []any{n}}
}

// If is the first sentence if something is so, and else the other. Both take the same arguments.
func If(so bool, then, otherwise string, args ...any) Text {
	if so {
		return Of(then, args...)
	}
	return Of(otherwise, args...)
}

// Sprintf is one sentence in a language, for answers outside of games.
func Sprintf(l Language, format string, args ...any) string {
	return Of(format, args...).In(l)
}

// Empty reports whether there is nothing to read.
func (t Text) Empty() bool { return t.format == "" }

// In is the sentence in a language. Durations in it are in words.
func (t Text) In(l Language) string {
	format := t.format
	if there := cmp.Or(catalogues[l][t.format], catalogues[l][t.many]); there != "" {
		format = there
	}
	args := slices.Clone(t.args)
	if t.begins {
		format = begin(format, args)
	}
	for i, arg := range args {
		switch arg := arg.(type) {
		case time.Duration:
			args[i] = span(arg).In(l)
		case translated:
			args[i] = arg.In(l)
		case string:
			args[i] = typed(arg)
		}
	}
	line := format
	if len(args) > 0 {
		line = fmt.Sprintf(format, args...)
	}
	if t.ends {
		line = end(line, l)
	}
	return line
}

// typed is a text that somebody has typed. %q puts it in quotes without escapes, which
// players do not read.
type typed string

// Format is for fmt.
func (s typed) Format(f fmt.State, verb rune) {
	if verb == 'q' {
		_, _ = io.WriteString(f, `"`+strings.Map(visible, string(s))+`"`)
		return
	}
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), string(s))
}

func visible(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// String is the sentence in English, for logs and records.
func (t Text) String() string { return t.In(English) }

// Error is the same.
func (t Text) Error() string { return t.In(English) }

// MarshalText is the sentence in English.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.In(English)), nil }
