package w3gs

import "unicode/utf8"

// Cut truncates s to at most n bytes, at a character boundary if s is valid UTF-8.
func Cut(s string, n int) string {
	if n = max(n, 0); len(s) <= n {
		return s
	}
	for i := n; i > max(0, n-utf8.UTFMax); i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i]
		}
	}
	return s[:n]
}
