package w3gs

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a version of the game, in the way the game itself counts on the LAN:
// 26 for 1.26. 2.0 counts as 100. Its methods say what a client of it knows.
type Version uint32

const (
	// DefaultVersion is hosted unless the configuration names another.
	DefaultVersion Version = 26
	// FirstVersion and LastVersion bound what can be hosted.
	FirstVersion Version = 7
	LastVersion  Version = 36

	// SingleUnitVersion is the first that reads files without sectors, as newer
	// editors and other tools store them.
	SingleUnitVersion Version = 30
	// LuaVersion is the first that runs maps written in Lua.
	LuaVersion Version = 31
	// ReforgedVersion is the first of the new engine.
	ReforgedVersion Version = 32
	// VersionTwo is 2.0.
	VersionTwo Version = 100

	lanReforged Version = 10000
)

// HasSHA1 reports whether a map's SHA-1 is sent: in the map check and in the stat
// string.
func (v Version) HasSHA1() bool { return v >= 23 }

// WholeFileSHA1 reports whether the SHA-1 is that of the whole map file.
func (v Version) WholeFileSHA1() bool { return v >= 30 }

// RunsLua reports whether maps may be written in Lua.
func (v Version) RunsLua() bool { return v >= LuaVersion }

// SumsGameScripts reports whether the game's own scripts count in a map's
// checksum.
func (v Version) SumsGameScripts() bool { return v < ReforgedVersion }

// ReadsSingleUnit reports whether files without sectors are read.
func (v Version) ReadsSingleUnit() bool { return v >= SingleUnitVersion }

// RelaysExtra reports whether clients send 0x59, and wait for those of others.
func (v Version) RelaysExtra() bool { return v >= ReforgedVersion }

// Slots is the most slots of a game, which is also the highest pid.
func (v Version) Slots() int {
	if v >= 29 {
		return MaxSlots
	}
	return ClassicSlots
}

// ObserverTeam is the team of those who watch, which is also their colour.
func (v Version) ObserverTeam() uint8 {
	if v >= 29 {
		return ObserverTeam24
	}
	return ObserverTeam
}

// SharesLobby reports whether clients of both versions can be in one lobby: its
// packets changed with 1.23 and 1.29.
func (v Version) SharesLobby(w Version) bool {
	return v.HasSHA1() == w.HasSHA1() && v.Slots() == w.Slots()
}

// MapLimit is the largest map that clients load, in bytes; 0 is no limit.
func (v Version) MapLimit() uint32 {
	const mib = 1 << 20
	switch {
	case v <= 23:
		return 4 * mib
	case v <= 26:
		return 8 * mib
	case v <= 28:
		return 128 * mib
	}
	return 0
}

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
			first = int(VersionTwo)
		}
		if first > 2*int(VersionTwo) {
			return 0, bad
		}
		return Version(first), nil
	}
	second, err := strconv.Atoi(strings.TrimRight(fields[1], "abcdefghijklmnopqrstuvwxyz"))
	if err != nil || second < 0 || second >= int(VersionTwo) || first < 1 || first > 2 {
		return 0, bad
	}
	return Version((first-1)*int(VersionTwo) + second), nil
}

// String writes the version as players know it.
func (v Version) String() string {
	if v >= VersionTwo {
		return fmt.Sprintf("2.%d", v-VersionTwo)
	}
	return fmt.Sprintf("1.%02d", int(v))
}
