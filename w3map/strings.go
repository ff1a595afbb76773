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
	end := -1 // of the text at hand, or of one to come
	for start := find(entryStart, data, 0); start != nil; {
		next, limit := find(entryStart, data, start[1]), len(data)
		if next != nil {
			limit = next[0]
		}
		open := openBrace(data, start[1], limit)
		if open < 0 { // an entry without a text
			start = next
			continue
		}
		if end <= open {
			end = len(data)
			if brace := find(entryEnd, data, open+1); brace != nil {
				end = brace[1] - 1
			}
		}
		stop := textEnd(data, open+1, limit, end)
		if id, err := strconv.Atoi(string(data[start[2]:start[3]])); err == nil {
			table[id] = textBetween(data[open+1 : stop])
		}
		if start = next; next != nil && next[0] <= stop { // that one was within the text
			start = find(entryStart, data, stop)
		}
	}
	return table
}

// find is the first match at or after from, with its groups, counted from the beginning of data.
func find(re *regexp.Regexp, data []byte, from int) []int {
	at := re.FindSubmatchIndex(data[from:])
	for i := range at {
		at[i] += from
	}
	return at
}

// openBrace finds the brace before a text, which is none in a comment.
func openBrace(data []byte, from, next int) int {
	for from < next {
		line := data[from:next]
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line = line[:n+1]
		}
		code, _, _ := bytes.Cut(line, []byte("//"))
		if n := bytes.IndexByte(code, '{'); n >= 0 {
			return from + n
		}
		from += len(line)
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
