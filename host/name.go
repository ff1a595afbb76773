package host

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"w3host/w3gs"
)

// numbered appends " #n" from the second game on and shortens the name so that
// clients still list it.
func numbered(name string, n int) string {
	if n <= 1 {
		return name
	}
	suffix := fmt.Sprintf(" #%d", n)
	for len(name)+len(suffix) > w3gs.MaxGameNameLen {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return strings.TrimRight(name, " ") + suffix
}
