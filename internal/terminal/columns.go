package terminal

import "strings"

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
		widest := 0
		for _, w := range column {
			widest = max(widest, Columns(w))
		}
		for y, w := range column {
			lines[y] = Pad(lines[y], left) + w
		}
		left += widest + 2
	}
	ok = true
	for _, line := range lines {
		ok = ok && Columns(line) <= width
	}
	return lines, ok
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
