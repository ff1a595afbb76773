package w3map

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is the version of the game that is hosted, in the way the game itself counts on the LAN: 26 for 1.26.
// 2.0 counts as 100.
type Version int

// The versions at which the rules for identifiers and slots change.
const (
	// DefaultVersion is hosted if nobody says otherwise.
	DefaultVersion Version = 26

	firstSHA1     Version = 23 // before it, no SHA-1 is sent
	first24Slots  Version = 29 // slot tables of 24; observers are team 24
	firstFileSHA1 Version = 30 // the SHA-1 is that of the whole file

	// firstSingleUnit reads files without sectors, as newer editors and other tools store them.
	firstSingleUnit Version = 30

	firstLua      Version = 31  // maps may be written in Lua
	firstReforged Version = 32  // the game's own scripts no longer count
	versionTwo    Version = 100 // 2.0
	lanReforged   Version = 10000
)

// ParseVersion reads "26", "1.26", "1.26a", "1.26.0.6401" or "2.0".
func ParseVersion(text string) (Version, error) {
	bad := fmt.Errorf("%q is no game version: write it as 26, 1.26 or 2.0", text)
	fields := strings.Split(strings.TrimSpace(text), ".")
	first, err := strconv.Atoi(fields[0])
	if err != nil || first < 0 {
		return 0, bad
	}
	if len(fields) == 1 {
		switch {
		case first > int(lanReforged): // as 1.32 and later say it on the LAN
			first -= int(lanReforged)
		case first == 2:
			first = int(versionTwo)
		}
		if first > 2*int(versionTwo) {
			return 0, bad
		}
		return Version(first), nil
	}
	second, err := strconv.Atoi(strings.TrimRight(fields[1], "abcdefghijklmnopqrstuvwxyz"))
	if err != nil || second < 0 || second >= int(versionTwo) || first < 1 || first > 2 {
		return 0, bad
	}
	return Version((first-1)*int(versionTwo) + second), nil
}

// String writes the version as players know it.
func (v Version) String() string {
	if v >= versionTwo {
		return fmt.Sprintf("2.%d", v-versionTwo)
	}
	return fmt.Sprintf("1.%02d", int(v))
}
