package terminal

import (
	"slices"
	"strings"
)

// InColumns lays words out in as few lines of at most width columns as it can, one below
// the other as ls does.
func InColumns(words []string, width int) []string {
	for down := 1; ; down++ {
		if lines, ok := inLines(words, down, width); ok || down >= len(words) {
			return lines
		}
	}
}

// inLines lays words out in so many lines; not ok if those are too wide.
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

// least is how narrow a column of TableIn becomes.
const least = 8

// TableIn is Table for a terminal of a width, 0 if there is none. If the table is wider, the last cell of each row, which
// is whole, stands on a line of its own, and the widest other cells but the first end in an ellipsis.
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

// narrow takes a column from the widest cells but the first of a row, unless they are narrow.
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

// Table lays rows out under a heading, in columns that are two spaces apart.
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
