package texts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence is a text that begins and ends as a sentence does: for refusals, whose texts
// stand in other sentences as well. It changes no typed text and no name.
func Sentence(t Text) Text {
	t.begins, t.ends = true, true
	return t
}

// begin makes the first letter of a format a capital. Where the format begins with
// another text, that text begins so instead.
func begin(format string, args []any) string {
	first, size := utf8.DecodeRuneInString(format)
	if first != '%' {
		return string(unicode.ToUpper(first)) + format[size:]
	}
	if strings.HasPrefix(format, "%v") && len(args) > 0 {
		switch arg := args[0].(type) {
		case Text:
			arg.begins = true
			args[0] = arg
		case *Refusal:
			arg = &Refusal{arg.Code, arg.Text}
			arg.Text.begins = true
			args[0] = arg
		case error: // of another package
			line := arg.Error()
			if word, _, _ := strings.Cut(line, " "); !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
				first, size := utf8.DecodeRuneInString(line)
				args[0] = string(unicode.ToUpper(first)) + line[size:]
			}
		}
	}
	return format
}

// end puts a full stop behind a line that has none, unless it ends with a text to be
// typed.
func end(line string, l Language) string {
	last, _ := utf8.DecodeLastRuneInString(line)
	if line == "" || strings.ContainsRune(".!?…。！？>]", last) {
		return line
	}
	return line + map[Language]string{English: ".", Chinese: "。"}[l]
}
