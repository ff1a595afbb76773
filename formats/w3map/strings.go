package w3map

import (
	"bytes"
	"iter"
	"regexp"
	"strconv"
	"strings"
)

// stringTable maps the n of TRIGSTR_n to its text in war3map.wts.
type stringTable map[int]string

var (
	byteOrderMark = []byte("\xEF\xBB\xBF")
	doubledMark   = []byte("\xC3\xAF\xC2\xBB\xC2\xBF") // a byte order mark that was encoded to UTF-8 twice
	entryWord     = []byte("STRING")
)

// parseStrings parses war3map.wts, which consists of entries such as
//
//	STRING 7
//	// a comment
//	{
//	The text, of any number of lines
//	}
//
// with any line ends and blanks. It skips malformed lines. If a number occurs twice, the later text counts.
// Only wanted numbers are returned, since a file may hold millions; nil means all.
func parseStrings(data []byte, wanted map[int]bool) stringTable {
	data = bytes.TrimPrefix(bytes.TrimPrefix(data, byteOrderMark), doubledMark)
	data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	table := stringTable{}
	end := -1 // closing brace of the current or a later text
	for start := findEntry(data, 0); start != nil; {
		next, limit := findEntry(data, start.end), len(data)
		if next != nil {
			limit = next.at
		}
		open := openBrace(data, start.end, limit)
		if open < 0 { // entry without a text
			start = next
			continue
		}
		if end <= open {
			end = closingBrace(data, open+1)
		}
		stop := textEnd(data, open+1, limit, end)
		if id, err := strconv.Atoi(string(data[start.number:start.end])); err == nil && (wanted == nil || wanted[id]) {
			table[id] = textBetween(data[open+1 : stop])
		}
		if start = next; next != nil && next.at <= stop { // the next entry is inside this text
			start = findEntry(data, stop)
		}
	}
	return table
}

// entry holds the offsets of a "STRING 7" line: its start, its first digit and the end of its digits.
type entry struct{ at, number, end int }

// lines iterates over the offsets of line starts, beginning with from.
func lines(data []byte, from int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := from; at < len(data) && yield(at); {
			n := bytes.IndexByte(data[at:], '\n')
			if n < 0 {
				return
			}
			at += n + 1
		}
	}
}

// findEntry returns the first entry that starts at or after from, or nil.
func findEntry(data []byte, from int) *entry {
	for at := range lines(data, from) {
		i := skipBlanks(data, at)
		word := min(i+len(entryWord), len(data))
		number := skipBlanks(data, word)
		if number == word || !bytes.EqualFold(data[i:word], entryWord) {
			continue
		}
		first := number
		if first < len(data) && data[first] == '-' {
			first++
		}
		if end := len(data) - len(bytes.TrimLeft(data[first:], "0123456789")); end > first {
			return &entry{at, number, end}
		}
	}
	return nil
}

// closingBrace returns the offset of the first closing brace at the start of a line at or after from, or
// len(data).
func closingBrace(data []byte, from int) int {
	for at := range lines(data, from) {
		if i := skipBlanks(data, at); i < len(data) && data[i] == '}' {
			return i
		}
	}
	return len(data)
}

func skipBlanks(data []byte, at int) int { return len(data) - len(bytes.TrimLeft(data[at:], " \t")) }

// openBrace returns the offset of the opening brace of a text before next, ignoring comments, or -1.
func openBrace(data []byte, from, next int) int {
	for at := range lines(data[:next], from) {
		line, _, _ := bytes.Cut(data[at:next], []byte("\n"))
		code, _, _ := bytes.Cut(line, []byte("//"))
		if n := bytes.IndexByte(code, '{'); n >= 0 {
			return at + n
		}
	}
	return -1
}

// textEnd returns the end of the text that starts at from. This is brace, the closing brace at the start of a
// line, since texts may contain braces. If another entry starts before it, any closing brace before that
// entry is used.
func textEnd(data []byte, from, next, brace int) int {
	if brace < next {
		return brace
	}
	if plain := bytes.IndexByte(data[from:next], '}'); plain >= 0 {
		return from + plain
	}
	return brace
}

// textBetween returns the text between two braces without the rest of the opening line and without the final
// line break and blanks.
func textBetween(braces []byte) string {
	text := string(braces)
	if line, after, ok := strings.Cut(text, "\n"); ok && strings.TrimSpace(line) == "" {
		text = after
	}
	if cut := strings.LastIndexByte(text, '\n'); cut >= 0 && strings.TrimSpace(text[cut:]) == "" {
		text = text[:cut]
	}
	return text
}

var textReference = regexp.MustCompile(`^TRIGSTR_(-?[0-9]+)`)

// reference parses TRIGSTR_n and returns n. Leading zeros and trailing text are ignored.
func reference(s string) (id int, ok bool) {
	m := textReference.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	id, err := strconv.Atoi(m[1])
	return id, err == nil
}

// resolve replaces a reference by its text. Like the game, it leaves a reference to a missing text unchanged.
func (t stringTable) resolve(s string) string {
	if id, ok := reference(s); ok {
		if text, ok := t[id]; ok {
			return text
		}
	}
	return s
}

var colourCode = regexp.MustCompile(`(?i)\|c[0-9a-f]{8}|\|r`)

// Plain returns a text without colour codes, on one line.
func Plain(s string) string {
	s = colourCode.ReplaceAllString(s, "")
	s = strings.NewReplacer("|n", " ", "|N", " ", "||", "|").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}

// Shown escapes a text for display on a terminal. Control characters and invalid UTF-8 (such as names in GBK
// or CP1251) are written as in Go: \n, \x1b, \xd0, \u202e.
func Shown(s string) string {
	quoted := strconv.Quote(s)
	return harmless.Replace(quoted[1 : len(quoted)-1])
}

// harmless undoes the quoting of characters that terminals can show.
var harmless = strings.NewReplacer(`\"`, `"`, `\\`, `\`)
