package w3gs

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Version is a version of the game, in the way the game itself counts on the LAN:
// 26 for 1.26. 2.0 counts as 100, 3.0 as 200. Its methods say how a client of it behaves.
type Version uint32

const (
	// DefaultVersion is hosted unless the configuration names another.
	DefaultVersion Version = 26
	// FirstVersion is the first that can be hosted, LastClassic the last before 2.0.
	FirstVersion Version = 7
	LastClassic  Version = 36

	// SingleUnitVersion is the first that reads files without sectors, as newer
	// editors and other tools store them.
	SingleUnitVersion Version = 30
	// LuaVersion is the first that runs maps written in Lua.
	LuaVersion Version = 31
	// ReforgedVersion is the first of the new engine.
	ReforgedVersion Version = 32
	// VersionTwo is 2.0.
	VersionTwo Version = 100
	// VersionThree is version 3.0.0, the only build of 3.0 that finds games on a LAN.
	VersionThree Version = 200

	lanReforged Version = 10000
)

// Discovery is how the clients of a version find the games of a network.
type Discovery uint8

const (
	// DiscoveryBroadcast searches and announces by broadcast on UDP 6112.
	DiscoveryBroadcast Discovery = iota
	// DiscoveryMulticast is multicast DNS.
	DiscoveryMulticast
	// DiscoveryLocal searches by broadcast on UDP 16000. Clients listen on ports from 16000 on
	// and take a 0x30 that they did not ask for; 0x31 to 0x33 do not exist.
	DiscoveryLocal
)

// Versions are those that there are, the oldest first.
func Versions() (all []Version) {
	for v := FirstVersion; v <= VersionThree; v++ {
		if v.Exists() {
			all = append(all, v)
		}
	}
	return all
}

// Exists reports whether there are clients of this version which can be hosted in
// principle.
func (v Version) Exists() bool {
	return v >= FirstVersion && v <= LastClassic || v == VersionTwo || v == VersionThree
}

// Discovery returns how clients look for games. Clients of one kind do not see games that are
// announced in the way of another.
func (v Version) Discovery() Discovery {
	switch {
	case v < 30:
		return DiscoveryBroadcast
	case v < VersionThree:
		return DiscoveryMulticast
	}
	return DiscoveryLocal
}

// UsesMDNS reports whether clients look for games by multicast DNS.
func (v Version) UsesMDNS() bool { return v.Discovery() == DiscoveryMulticast }

// LANNumber is the version as clients write it where they look for games: 26 for 1.26 and
// 10200 for 3.0 in a 0x2F, 10036 for 1.36 in the name of a service.
func (v Version) LANNumber() uint32 {
	if v >= 30 {
		v += lanReforged
	}
	return uint32(v)
}

// VersionOnLAN returns the version with a LANNumber. A number that no version has is returned
// as it is.
func VersionOnLAN(number uint32) Version {
	if v := Version(number) - lanReforged; Version(number) > lanReforged && v.LANNumber() == number {
		return v
	}
	return Version(number)
}

// HasEntryKey reports whether a lobby has a number that a join from the LAN must bring. The hosts
// that are known for 3.0 all send 0, so that nobody knows what its clients do with another.
func (v Version) HasEntryKey() bool { return v.Discovery() != DiscoveryLocal }

// ListedType returns the game type with which a game of type t is listed.
func (v Version) ListedType(t GameType) GameType {
	if v.Discovery() == DiscoveryLocal {
		return GameTypeObsFull
	}
	return t
}

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

// ChecksumPiece is the length of the pieces in which the files of a map, its script
// apart, enter the checksum; a rest at the end of a file does not count.
// 0: each file is one piece. Only 1.32 cuts them (real games, 1024 bytes).
func (v Version) ChecksumPiece() int {
	if v == ReforgedVersion {
		return 1024
	}
	return 0
}

// SumsLights reports whether the file of a map's light sources (war3map.w3l) counts in its
// checksum.
func (v Version) SumsLights() bool { return v >= VersionThree }

// Layout is the layout byte of a map with these two of its flags. To 2.0, fixed player settings
// without forces count as none, as in other hosts.
func (v Version) Layout(forces, fixed bool) Layout {
	switch {
	case forces && fixed:
		return LayoutFixedSettings
	case forces:
		return LayoutCustomForces
	case fixed && v >= VersionThree:
		return LayoutFixedAlone
	}
	return LayoutMelee
}

// ChoosesUnsetRaces reports whether players choose their race where a map with fixed player settings
// sets none.
func (v Version) ChoosesUnsetRaces() bool { return v >= VersionThree }

// ScriptGroup is the first of the versions that have the same common.j and blizzard.j
// as v, and so the same checksums of maps, in a row.
func (v Version) ScriptGroup() Version {
	switch {
	case v >= 19 && v <= 21:
		return 19
	case v >= 24 && v <= 28:
		return 24
	}
	return v
}

// ReadsSingleUnit reports whether files without sectors are read.
func (v Version) ReadsSingleUnit() bool { return v >= SingleUnitVersion }

// JoinExtra is how many zero bytes stand behind the name in a 0x06, as captures of
// 1.32 and the programs for 1.31 have them.
func (v Version) JoinExtra() int {
	if v >= 31 {
		return 2
	}
	return 1
}

// MapPath writes the path of a map as the map check of this version has it: 1.32 to 2.0 with
// slashes, all others with backslashes.
func (v Version) MapPath(path string) string {
	if v >= ReforgedVersion && v < VersionThree {
		return strings.ReplaceAll(path, `\`, "/")
	}
	return path
}

// Reforged reports whether clients are of the new engine: they send 0x59 and wait for
// those of others, and may be called by battle tags.
func (v Version) Reforged() bool { return v >= ReforgedVersion }

// StartDelay is the time between 0x0A and 0x0B. Without it, slow clients from 1.32 on go from the lobby to
// the score screen.
func (v Version) StartDelay() time.Duration {
	if v.Reforged() {
		return 6 * time.Second
	}
	return 0
}

// StrayLeaves reports whether clients may send a 0x21 while the game starts and go on all the same: it
// counts only when the connection closes.
func (v Version) StrayLeaves() bool { return v.Reforged() }

// IntroducesAtJoin reports whether the profiles and skins (0x59) of all players go to a client right
// behind its join, and its own messages back to it alone. Before, they wait for the messages of the client.
func (v Version) IntroducesAtJoin() bool { return v >= VersionThree }

// HidesOpenColours reports whether hosts give open slots of a melee map the observers' colour.
func (v Version) HidesOpenColours() bool { return v.Reforged() && v < VersionThree }

// SharesNames reports whether clients may have no name, or the same one: they are told apart by
// their pids.
func (v Version) SharesNames() bool { return v >= VersionThree }

// NumbersBySlot reports whether a player gets the pid that is one more than the slot, where it is free.
func (v Version) NumbersBySlot() bool { return v >= VersionThree }

// Slots is the most slots of a game, which is also the highest pid.
func (v Version) Slots() int {
	if v >= 29 {
		return MaxSlots
	}
	return ClassicSlots
}

// ObserverTeam is the team of observers, which is also their colour.
func (v Version) ObserverTeam() uint8 {
	if v >= 29 {
		return ObserverTeam24
	}
	return ObserverTeam
}

// SharesLobby reports whether one map check is true for clients of both versions, so
// that they can be in one lobby: the packets, the game's scripts and the rules of the
// checksum and the SHA-1 are the same.
func (v Version) SharesLobby(w Version) bool {
	wholeFiles := v > ReforgedVersion && w > ReforgedVersion && v < VersionTwo && w < VersionTwo
	return wholeFiles || v.ScriptGroup() == w.ScriptGroup()
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

// ParseVersion reads "26", "1.26", "1.26a", "1.26.0.6401", "2.0" or "3.0".
func ParseVersion(text string) (Version, error) {
	bad := fmt.Errorf("%q is no game version: write it as 26, 1.26, 2.0 or 3.0", text)
	fields := strings.Split(strings.TrimSpace(text), ".")
	first, err := strconv.Atoi(fields[0])
	if err != nil || first < 0 {
		return 0, bad
	}
	if len(fields) == 1 {
		switch {
		case first > int(lanReforged): // as 1.32 and later say it on the LAN
			first -= int(lanReforged)
		case first == 2 || first == 3:
			first = (first - 1) * int(VersionTwo)
		}
		if first >= 3*int(VersionTwo) {
			return 0, bad
		}
		return Version(first), nil
	}
	second, err := strconv.Atoi(strings.TrimRight(fields[1], "abcdefghijklmnopqrstuvwxyz"))
	if err != nil || second < 0 || second >= int(VersionTwo) || first < 1 || first > 3 {
		return 0, bad
	}
	return Version((first-1)*int(VersionTwo) + second), nil
}

// UnmarshalText reads the texts that ParseVersion reads.
func (v *Version) UnmarshalText(text []byte) (err error) {
	*v, err = ParseVersion(string(text))
	return err
}

// MarshalText writes the version as players know it.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// String writes the version as players know it.
func (v Version) String() string {
	if v >= VersionTwo {
		return fmt.Sprintf("%d.%d", 1+v/VersionTwo, v%VersionTwo)
	}
	return fmt.Sprintf("1.%02d", int(v))
}
