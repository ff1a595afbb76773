package w3map

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// stringTable is war3map.wts: the texts that TRIGSTR_n stands for.
type stringTable map[int]string

var (
	byteOrderMark = []byte("\xEF\xBB\xBF")
	doubledMark   = []byte("\xC3\xAF\xC2\xBB\xC2\xBF") // the mark, encoded once more by a careless tool

	entryStart = regexp.MustCompile(`(?mi)^[ \t]*STRING[ \t]+(-?\d+)`)
	entryEnd   = regexp.MustCompile(`(?m)^[ \t]*\}`)
)

// parseStrings reads
//
//	STRING 7
//	// a comment
//	{
//	The text, of any number of lines
//	}
//
// with line ends and blanks as they come. What makes no sense is passed over. Of two texts with a number, the later
// counts.
func parseStrings(data []byte) stringTable {
	data = bytes.TrimPrefix(bytes.TrimPrefix(data, byteOrderMark), doubledMark)
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	table := stringTable{}
	for {
		at := entryStart.FindSubmatchIndex(data)
		if at == nil {
			return table
		}
		id, err := strconv.Atoi(string(data[at[2]:at[3]]))
		data = data[at[1]:]
		open := bytes.IndexByte(data, '{')
		if open < 0 {
			return table
		}
		if next := entryStart.FindIndex(data); next != nil && next[0] < open {
			continue // an entry without a text
		}
		text, rest := splitText(data[open+1:])
		data = rest
		if err == nil {
			table[id] = text
		}
	}
}

// splitText finds the end of a text: a brace that begins a line, since a text may have braces in it. If there is
// another entry before that, any brace will do.
func splitText(data []byte) (text string, rest []byte) {
	end := entryEnd.FindIndex(data)
	plain := bytes.IndexByte(data, '}')
	if next := entryStart.FindIndex(data); plain >= 0 && (end == nil || next != nil && plain < next[0] && next[0] < end[0]) {
		end = []int{plain, plain + 1}
	}
	if end == nil {
		end = []int{len(data), len(data)}
	}
	body := string(data[:end[0]])
	// The line of the opening brace ends before the text, unless the text begins on it.
	if line, after, ok := strings.Cut(body, "\n"); ok && strings.TrimSpace(line) == "" {
		body = after
	}
	return strings.TrimSuffix(body, "\n"), data[end[1]:]
}

// resolve replaces TRIGSTR_n by its text. Zeros before the number and what follows it do not matter. A number without
// a text leaves the reference as it is, as the game does.
func (t stringTable) resolve(s string) string {
	number, ok := strings.CutPrefix(s, "TRIGSTR_")
	if !ok {
		return s
	}
	end := strings.IndexFunc(strings.TrimPrefix(number, "-"), func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		number = number[:end+len(number)-len(strings.TrimPrefix(number, "-"))]
	}
	id, err := strconv.Atoi(number)
	if err != nil {
		return s
	}
	if text, ok := t[id]; ok {
		return text
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
