package lobby

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"w3host/w3gs"
)

// checkName says what is wrong with a player's name; empty for a good one. A
// name that its client cut inside a letter is no fault of the player's.
func checkName(name string) (why string) {
	switch {
	case strings.TrimSpace(name) == "":
		return "the name is empty"
	case len(name) > w3gs.MaxNameLen:
		return fmt.Sprintf("the name is %d bytes long; %d are allowed", len(name), w3gs.MaxNameLen)
	case stripColours(name) != name:
		return "the name holds colour codes"
	}
	for _, r := range name {
		// Format characters are invisible: they make one name look like another.
		if r != utf8.RuneError && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return "the name holds control characters"
		}
	}
	return ""
}

// sameName compares names as players see them.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// stripColours removes what clients draw as colour or line break: |cAARRGGBB,
// |r and |n.
func stripColours(s string) string {
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
