package autohost

import (
	"fmt"
	"strconv"
	"strings"

	"w3host/protocol/w3gs"
)

// counter is the placeholder for the number of the game in a name.
const counter = "{n}"

// FreeName returns a name for a lobby that was opened without one. It differs from all names that are taken, because
// realms list a name only once.
func (k *Keeper) FreeName(taken func(string) bool) string {
	base := "w3host game"
	if len(k.entries) > 0 {
		if e := k.entries[0].Name; len(e) <= w3gs.MaxGameNameLen-len(" 999") && !strings.Contains(e, counter) {
			base = e
		}
	}
	name := base
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s %d", base, n)
	}
	return name
}

// gameName returns the n-th name of a pattern, shortened to the length that clients list.
func gameName(pattern string, n int) string {
	if before, after, ok := strings.Cut(pattern, counter); ok {
		return w3gs.Cut(before, w3gs.MaxGameNameLen-len(after)-len(strconv.Itoa(n))) + strconv.Itoa(n) + after
	}
	if n <= 1 {
		return w3gs.Cut(pattern, w3gs.MaxGameNameLen)
	}
	suffix := fmt.Sprintf(" #%d", n)
	return strings.TrimRight(w3gs.Cut(pattern, w3gs.MaxGameNameLen-len(suffix)), " ") + suffix
}
