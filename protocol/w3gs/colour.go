package w3gs

import "strings"

// StripColours removes codes that clients draw as colour or line break: |cAARRGGBB,
// |r and |n.
func StripColours(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '|' && i+1 < len(s) {
			switch s[i+1] {
			case 'c', 'C':
				i = min(i+9, len(s)-1)
				continue
			case 'r', 'R', 'n', 'N':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
