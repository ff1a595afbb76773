package texts

import (
	"strings"
	"unicode/utf8"
)

// Cut splits a line after at most n bytes: at the last space in the second half of these bytes, otherwise between two
// letters, since some languages have few spaces. It drops spaces at the cut.
func Cut(line string, n int) (part, rest string) {
	if len(line) <= n {
		return line, ""
	}
	at := strings.LastIndexByte(line[:n+1], ' ')
	if at <= n/2 {
		for at = n; at > n-utf8.UTFMax && !utf8.RuneStart(line[at]); {
			at--
		}
	}
	return strings.TrimRight(line[:at], " "), strings.TrimLeft(line[at:], " ")
}
