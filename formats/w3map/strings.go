package w3map

import (
	"bytes"
	"iter"
	"regexp"
	"strconv"
	"strings"
)

// stringTable is war3map.wts: the texts that TRIGSTR_n stands for.
type stringTable map[int]string

var (
	byteOrderMark = []byte("\xEF\xBB\xBF")
	doubledMark   = []byte("\xC3\xAF\xC2\xBB\xC2\xBF") // the mark, encoded to UTF-8 once more
	entryWord     = []byte("STRING")
)

// parseStrings reads
//
//	STRING 7
//	// a comment
//	{
//	The text, of any number of lines
//	}
//
// with line ends and blanks as they come. Lines that make no sense are passed over. Of two texts with a number, the later
// counts. Only the wanted numbers are kept, of which nil is all: there may be millions.
func parseStrings(data []byte, wanted map[int]bool) stringTable {
	data = bytes.TrimPrefix(bytes.TrimPrefix(data, byteOrderMark), doubledMark)
	data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	table := stringTable{}
	end := -1 // of the text at hand, or of one to come
	for start := findEntry(data, 0); start != nil; {
		next, limit := findEntry(data, start.end), len(data)
		if next != nil {
			limit = next.at
		}
		open := openBrace(data, start.end, limit)
		if open < 0 { // an entry without a text
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
		if start = next; next != nil && next.at <= stop { // that one was within the text
			start = findEntry(data, stop)
		}
	}
	return table
}

// entry is where "STRING 7" stands: the line, the digits, and their end.
type entry struct{ at, number, end int }

// lines walks the places where lines begin, of which from counts as the first.
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

// findEntry finds the first line of an entry at or after from.
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

// closingBrace finds the first brace that begins a line at or after from, else the end.
func closingBrace(data []byte, from int) int {
	for at := range lines(data, from) {
		if i := skipBlanks(data, at); i < len(data) && data[i] == '}' {
			return i
		}
	}
	return len(data)
}

func skipBlanks(data []byte, at int) int { return len(data) - len(bytes.TrimLeft(data[at:], " \t")) }

// openBrace finds the brace before a text, which is none in a comment.
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

// textEnd finds the end of a text: the brace that begins a line, since a text may have braces in it. If there is
// another entry before that one, any brace before that entry will do.
func textEnd(data []byte, from, next, brace int) int {
	if brace < next {
		return brace
	}
	if plain := bytes.IndexByte(data[from:next], '}'); plain >= 0 {
		return from + plain
	}
	return brace
}

// textBetween takes off the rest of the brace's own line before a text, and the line break and the blanks after it.
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

// reference is the n of TRIGSTR_n. Zeros before the number and the text after it do not matter.
func reference(s string) (id int, ok bool) {
	m := textReference.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	id, err := strconv.Atoi(m[1])
	return id, err == nil
}

// resolve replaces a reference by its text. A reference to a text that is missing stays, as in the game.
func (t stringTable) resolve(s string) string {
	if id, ok := reference(s); ok {
		if text, ok := t[id]; ok {
			return text
		}
	}
	return s
}

var colourCode = regexp.MustCompile(`(?i)\|c[0-9a-f]{8}|\|r`)

// Plain is a text of the game without colour codes, on one line.
func Plain(s string) string {
	s = colourCode.ReplaceAllString(s, "")
	s = strings.NewReplacer("|n", " ", "|N", " ", "||", "|").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}

// Shown is a text as a terminal may show it: control characters, and bytes that are no UTF-8 (such as names in GBK or
// CP1251), are written as in Go: \n, \x1b, \xd0, \u202e.
func Shown(s string) string {
	quoted := strconv.Quote(s)
	return harmless.Replace(quoted[1 : len(quoted)-1])
}

// harmless are characters that Go quotes although a terminal may show them.
var harmless = strings.NewReplacer(`\"`, `"`, `\\`, `\`)
