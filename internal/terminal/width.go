package terminal

import (
	"strings"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// Width returns the number of columns of a terminal, or 0 if stream is not a terminal or the width is
// unknown. A stream with a method Width is treated as a terminal.
func Width(stream any) int {
	switch s := stream.(type) {
	case interface{ Width() int }:
		return s.Width()
	case interface{ Fd() uintptr }:
		if columns, _, err := term.GetSize(int(s.Fd())); err == nil {
			return columns
		}
	}
	return 0
}

// Columns returns the number of terminal columns that a text takes: East Asian wide characters take two,
// combining characters none.
func Columns(s string) (n int) {
	for _, r := range s {
		n += columns(r)
	}
	return n
}

func columns(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Pad appends spaces to a text until it takes n columns.
func Pad(s string, n int) string {
	return s + strings.Repeat(" ", max(n-Columns(s), 0))
}

// Wrap breaks a text into lines of at most n columns, at spaces, and inside words longer than a line.
func Wrap(text string, n int) (lines []string) {
	n = max(n, 2)
	for Columns(text) > n {
		end := fitting(text, n)
		if space := strings.LastIndexByte(text[:end+1], ' '); space > 0 && strings.TrimSpace(text[:space]) != "" {
			lines, text = append(lines, strings.TrimRight(text[:space], " ")), strings.TrimLeft(text[space:], " ")
			continue
		}
		lines, text = append(lines, text[:end]), text[end:]
	}
	return append(lines, text)
}

// Hang wraps a line that is wider than the terminal; continuation lines are indented to column. If width is
// 0, the line is returned unchanged.
func Hang(line string, column, width int) string {
	text, end := strings.TrimSuffix(line, "\n"), ""
	if text != line {
		end = "\n"
	}
	if width < 2*column || Columns(text) <= width {
		return line
	}
	first := Wrap(text, width)[0]
	below := "\n" + strings.Repeat(" ", column)
	rest := Wrap(strings.TrimLeft(text[len(first):], " "), width-column)
	return first + below + strings.Join(rest, below) + end
}

// Cut truncates a text to n columns.
func Cut(text string, n int) string {
	if Columns(text) <= n {
		return text
	}
	return text[:fitting(text, n)]
}

// fitting returns how many bytes of a text that is wider than n columns fit into n columns.
func fitting(text string, n int) int {
	used := 0
	for i, r := range text {
		if used += columns(r); used > n {
			return i
		}
	}
	return len(text)
}
