package texts

import (
	"strings"
	"unicode/utf8"
)

// Cut takes at most n bytes off a line: up to the last space of their second half,
// else whole letters, since some languages have few spaces. The space goes.
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
