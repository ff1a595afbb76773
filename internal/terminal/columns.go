package terminal

import (
	"slices"
	"strings"
)

// InColumns arranges words in columns, like ls, in as few lines of at most width columns as possible.
func InColumns(words []string, width int) []string {
	for down := 1; ; down++ {
		if lines, ok := inLines(words, down, width); ok || down >= len(words) {
			return lines
		}
	}
}

// inLines arranges words in down lines. ok is false if the lines are too wide.
func inLines(words []string, down, width int) (lines []string, ok bool) {
	lines = make([]string, min(down, len(words)))
	for left := 0; len(words) > 0; {
		column := words[:min(down, len(words))]
		words = words[len(column):]
		for y, w := range column {
			lines[y] = Pad(lines[y], left) + w
		}
		left += widest(column) + 2
	}
	return lines, widest(lines) <= width
}

// least is the minimum width of a column of TableIn.
const least = 8

// TableIn is like Table but fits the terminal width; 0 means no terminal. If the table is too wide, the last
// cell of each row is printed in full on a separate line, and the widest other cells except the first are
// truncated with an ellipsis.
func TableIn(heading []string, rows [][]string, width int) []string {
	lines := Table(heading, rows)
	if width == 0 || widest(lines) <= width {
		return lines
	}
	last := len(heading) - 1
	short := make([][]string, len(rows))
	for i, row := range rows {
		short[i] = slices.Clone(row[:last])
	}
	for {
		lines = Table(heading[:last], short)
		if widest(lines) <= width || !narrow(short) {
			break
		}
	}
	var out []string
	for i, row := range append([][]string{heading}, rows...) {
		out = append(out, lines[i], "  "+row[last])
	}
	return out
}

// narrow shortens the widest cells, except first ones, by one column. It returns false if they are already
// narrow.
func narrow(rows [][]string) bool {
	most := least
	for _, row := range rows {
		most = max(most, widest(row[1:]))
	}
	for _, row := range rows {
		for i, cell := range row[1:] {
			if Columns(cell) == most && most > least {
				row[i+1] = cell[:fitting(cell, most-2)] + "…"
			}
		}
	}
	return most > least
}

func widest(texts []string) (n int) {
	for _, text := range texts {
		n = max(n, Columns(text))
	}
	return n
}

// Table arranges rows under a heading, in columns separated by two spaces.
func Table(heading []string, rows [][]string) (lines []string) {
	rows = append([][]string{heading}, rows...)
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += Pad(cell, widths[i]+2)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}
