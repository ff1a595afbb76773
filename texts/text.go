// Package texts translates everything that players read.
//
// A package that talks to players creates a Text from an English format where it needs the sentence; the text is
// rendered later, in the language of each reader, with Text.In. The catalogue of another language is keyed by the
// English format, as with gettext; a sentence without a translation is shown in English. A Refusal is a Text with an
// error code.
//
// The package does no I/O and knows nothing about players; its tests check that every sentence of the other packages has
// a translation.
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

// Text is a sentence that is not rendered in a language yet. The zero value is the empty text. Text implements error, so
// that it can be returned as one.
type Text struct {
	format       string
	many         string // plural format, if format is the singular of a Count
	args         []any
	begins, ends bool // capitalize the start, end with a full stop; see Sentence
}

// translated is an argument of a Text that depends on the language: another Text, a Refusal, or a name.
type translated interface{ In(Language) string }

// Of returns a Text of an English format, which is the key of its translations. Arguments that are Texts, refusals or
// durations are rendered in the language of the reader.
func Of(format string, args ...any) Text {
	if false {
		_ = fmt.Sprintf(format, args...) // never runs; makes go vet check the formats of callers
	}
	return Text{format: format, args: args}
}

// Plain returns a Text that is the same in every language, such as text typed by a player.
func Plain(text string) Text {
	if text == "" {
		return Text{}
	}
	return Text{format: "%s", args: []any{text}}
}

// Known returns a Text for a whole sentence known only at run time. It is translated if the catalogue has it.
func Known(sentence string) Text { return Text{format: sentence} }

// From returns the text of an error, translated if the error is a Text or Refusal.
func From(err error) Text { return Text{format: "%v", args: []any{err}} }

// Join concatenates texts with a separator.
func Join(list []Text, sep string) Text {
	sep = strings.ReplaceAll(sep, "%", "%%")
	t := Text{format: strings.TrimSuffix(strings.Repeat("%v"+sep, len(list)), sep)}
	for _, item := range list {
		t.args = append(t.args, item)
	}
	return t
}

// Either returns "a or b or c" for the names, of which there must be at least one.
func Either(names []string) Text {
	t := Plain(names[0])
	for _, name := range names[1:] {
		t = Of("%v or %v", t, name)
	}
	return t
}

// Count returns the text for a number of things: the format one if n is 1, otherwise many. Both formats have a single
// verb, for the number. Languages without a singular translate only many.
func Count(n int, one, many string) Text {
	if n == 1 {
		return Text{format: one, many: many, args: []any{n}}
	}
	return Text{format: many, args: []any{n}}
}

// If returns the sentence then if so is true, otherwise the other sentence, both with the same arguments.
func If(so bool, then, otherwise string, args ...any) Text {
	if so {
		return Of(then, args...)
	}
	return Of(otherwise, args...)
}

// Sprintf renders a sentence in a language. It is Of(format, args...).In(l).
func Sprintf(l Language, format string, args ...any) string {
	return Of(format, args...).In(l)
}

// Empty reports whether t is the zero Text.
func (t Text) Empty() bool { return t.format == "" }

// In renders the sentence in a language. Durations become words.
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

// typed is a text that a person has typed. With %q it is put in quotes without Go's escapes, which players would not
// understand.
type typed string

// Format implements fmt.Formatter.
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

// String renders the sentence in English, for logs and records.
func (t Text) String() string { return t.In(English) }

// Error renders the sentence in English.
func (t Text) Error() string { return t.In(English) }

// MarshalText renders the sentence in English.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.In(English)), nil }
