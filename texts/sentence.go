package texts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence returns the text with a capital letter at its start and a full stop at its end. It is for refusals, whose
// texts are also embedded in other sentences. It does not change arguments that are names or typed text.
func Sentence(t Text) Text {
	t.begins, t.ends = true, true
	return t
}

// begin capitalizes the first letter of a format. If the format starts with a Text or an error as argument, it
// capitalizes that argument instead.
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
		case error: // an error of another package
			line := arg.Error()
			if word, _, _ := strings.Cut(line, " "); !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
				first, size := utf8.DecodeRuneInString(line)
				args[0] = string(unicode.ToUpper(first)) + line[size:]
			}
		}
	}
	return format
}

// end appends a full stop unless the line ends with punctuation or with a placeholder for typed text such as <name>.
func end(line string, l Language) string {
	last, _ := utf8.DecodeLastRuneInString(line)
	if line == "" || strings.ContainsRune(".!?…。！？>]", last) {
		return line
	}
	return line + map[Language]string{English: ".", Chinese: "。"}[l]
}
