package w3gs

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Version is a game version in the numbering that clients use on the LAN: 26 for 1.26, 100 for 2.0, 200 for
// 3.0. Its methods describe how clients of that version behave.
type Version uint32

const (
	// DefaultVersion is hosted if the configuration does not name a version.
	DefaultVersion Version = 26
	// FirstVersion is the first version that can be hosted; LastClassic is the last one before 2.0.
	FirstVersion Version = 7
	LastClassic  Version = 36

	// SingleUnitVersion is the first version that reads MPQ files stored as a single unit, without sectors,
	// as newer editors and tools write them.
	SingleUnitVersion Version = 30
	// LuaVersion is the first version that runs maps written in Lua.
	LuaVersion Version = 31
	// ReforgedVersion is 1.32, the first version with the Reforged engine.
	ReforgedVersion Version = 32
	// VersionTwo is 2.0.
	VersionTwo Version = 100
	// VersionThree is 3.0.0, the only build of 3.0 that finds LAN games.
	VersionThree Version = 200

	lanReforged Version = 10000
)

// Discovery is the mechanism by which clients find games on the local network.
type Discovery uint8

const (
	// DiscoveryBroadcast is UDP broadcast on port 6112.
	DiscoveryBroadcast Discovery = iota
	// DiscoveryMulticast is multicast DNS.
	DiscoveryMulticast
	// DiscoveryLocal is UDP broadcast of searches to port 16000. Clients listen on ports from 16000 up and
	// also accept an unsolicited 0x30; 0x31 to 0x33 do not exist.
	DiscoveryLocal
)

// Versions returns all hostable versions, oldest first.
func Versions() (all []Version) {
	for v := FirstVersion; v <= VersionThree; v++ {
		if v.Exists() {
			all = append(all, v)
		}
	}
	return all
}

// Exists reports whether v is a released version that the host supports.
func (v Version) Exists() bool {
	return v >= FirstVersion && v <= LastClassic || v == VersionTwo || v == VersionThree
}

// Discovery returns how clients find games. Clients do not see games announced by another mechanism.
func (v Version) Discovery() Discovery {
	switch {
	case v < 30:
		return DiscoveryBroadcast
	case v < VersionThree:
		return DiscoveryMulticast
	}
	return DiscoveryLocal
}

// UsesMDNS reports whether clients find games by multicast DNS.
func (v Version) UsesMDNS() bool { return v.Discovery() == DiscoveryMulticast }

// LANNumber returns the version number that clients use in discovery: 26 for 1.26 and 10200 for 3.0 in a
// 0x2F; 10036 for 1.36 in an mDNS service name.
func (v Version) LANNumber() uint32 {
	if v >= 30 {
		v += lanReforged
	}
	return uint32(v)
}

// VersionOnLAN reverses LANNumber. A number that no version uses is returned unchanged.
func VersionOnLAN(number uint32) Version {
	if v := Version(number) - lanReforged; Version(number) > lanReforged && v.LANNumber() == number {
		return v
	}
	return Version(number)
}

// HasEntryKey reports whether LAN joins must repeat the lobby's entry key. Known hosts for 3.0 always send 0,
// and how its clients treat other keys is unknown.
func (v Version) HasEntryKey() bool { return v.Discovery() != DiscoveryLocal }

// ListedType returns the game type to announce for a game of type t.
func (v Version) ListedType(t GameType) GameType {
	if v.Discovery() == DiscoveryLocal {
		return GameTypeObsFull
	}
	return t
}

// HasSHA1 reports whether the map check and the stat string include the map's SHA-1.
func (v Version) HasSHA1() bool { return v >= 23 }

// WholeFileSHA1 reports whether the map's SHA-1 covers the whole file instead of selected contents.
func (v Version) WholeFileSHA1() bool { return v >= 30 }

// RunsLua reports whether clients run maps written in Lua.
func (v Version) RunsLua() bool { return v >= LuaVersion }

// SumsGameScripts reports whether the map checksum includes the game's own scripts, common.j and blizzard.j.
func (v Version) SumsGameScripts() bool { return v < ReforgedVersion }

// ChecksumPiece returns the piece size in bytes in which a map's files, except its script, enter the
// checksum; an incomplete last piece is left out. 0 means that each file is one piece. Only 1.32 splits
// files, into 1024 bytes, as real games show.
func (v Version) ChecksumPiece() int {
	if v == ReforgedVersion {
		return 1024
	}
	return 0
}

// SumsLights reports whether the map checksum includes war3map.w3l, the map's light sources.
func (v Version) SumsLights() bool { return v >= VersionThree }

// Layout returns the slot layout of a map from its "custom forces" and "fixed player settings" flags. Like
// other hosts, it ignores fixed settings without forces up to 2.0.
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

// ChoosesUnsetRaces reports whether players may choose their race if a map with fixed player settings does
// not set one.
func (v Version) ChoosesUnsetRaces() bool { return v >= VersionThree }

// ScriptGroup returns the first of the consecutive versions that share v's common.j and blizzard.j and
// therefore have the same map checksums.
func (v Version) ScriptGroup() Version {
	switch {
	case v >= 19 && v <= 21:
		return 19
	case v >= 24 && v <= 28:
		return 24
	}
	return v
}

// ReadsSingleUnit reports whether clients read MPQ files stored as a single unit.
func (v Version) ReadsSingleUnit() bool { return v >= SingleUnitVersion }

// JoinExtra returns the number of zero bytes after the name in a 0x06, according to captures of 1.32 and to
// other hosts for 1.31.
func (v Version) JoinExtra() int {
	if v >= 31 {
		return 2
	}
	return 1
}

// MapPath converts a map path with backslashes to the form used in the map check: with slashes from 1.32 to
// 2.0, unchanged otherwise.
func (v Version) MapPath(path string) string {
	if v >= ReforgedVersion && v < VersionThree {
		return strings.ReplaceAll(path, `\`, "/")
	}
	return path
}

// Reforged reports whether clients use the Reforged engine. They send 0x59, expect it from other players, and
// may use battle tags as names.
func (v Version) Reforged() bool { return v >= ReforgedVersion }

// StartDelay returns how long to wait between 0x0A and 0x0B. Without a delay, slow clients from 1.32 on drop
// to the score screen.
func (v Version) StartDelay() time.Duration {
	if v.Reforged() {
		return 6 * time.Second
	}
	return 0
}

// LagLimit returns the default for how much game time a player may be behind before the game stops for everybody.
// For 1.32 and later it is the value that hosts of these versions use.
func (v Version) LagLimit() time.Duration {
	if v.Reforged() {
		return 3 * time.Second
	}
	return 5 * time.Second
}

// StrayLeaves reports whether clients may send a 0x21 during the start and keep playing. Such a leave counts
// only once the connection closes.
func (v Version) StrayLeaves() bool { return v.Reforged() }

// IntroducesAtJoin reports whether a joining client gets the profiles and skins (0x59) of all players right
// after its join and its own messages echoed only to itself. In older versions the host waits for the
// client's messages first.
func (v Version) IntroducesAtJoin() bool { return v >= VersionThree }

// HidesOpenColours reports whether hosts give open slots of melee maps the observers' colour.
func (v Version) HidesOpenColours() bool { return v.Reforged() && v < VersionThree }

// SharesNames reports whether players may have empty or equal names; only pids identify them then.
func (v Version) SharesNames() bool { return v >= VersionThree }

// NumbersBySlot reports whether a player gets the slot's number plus one as pid, if it is free.
func (v Version) NumbersBySlot() bool { return v >= VersionThree }

// Slots returns the maximum number of slots, which is also the highest pid.
func (v Version) Slots() int {
	if v >= 29 {
		return MaxSlots
	}
	return ClassicSlots
}

// ObserverTeam returns the team number of observers, which is also their colour.
func (v Version) ObserverTeam() uint8 {
	if v >= 29 {
		return ObserverTeam24
	}
	return ObserverTeam
}

// SharesLobby reports whether clients of both versions can be in one lobby. They need the same packets, game
// scripts, and rules for the map checksum and SHA-1.
func (v Version) SharesLobby(w Version) bool {
	wholeFiles := v > ReforgedVersion && w > ReforgedVersion && v < VersionTwo && w < VersionTwo
	return wholeFiles || v.ScriptGroup() == w.ScriptGroup()
}

// MapLimit returns the largest map file that clients load, in bytes; 0 means no limit.
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

// ParseVersion parses a version such as "26", "1.26", "1.26a", "1.26.0.6401", "2.0" or "3.0".
func ParseVersion(text string) (Version, error) {
	bad := fmt.Errorf("%q is not a game version: write it as 26, 1.26, 2.0 or 3.0", text)
	fields := strings.Split(strings.TrimSpace(text), ".")
	first, err := strconv.Atoi(fields[0])
	if err != nil || first < 0 {
		return 0, bad
	}
	if len(fields) == 1 {
		switch {
		case first > int(lanReforged): // the number that 1.30 and later send on the LAN
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

// UnmarshalText calls ParseVersion.
func (v *Version) UnmarshalText(text []byte) (err error) {
	*v, err = ParseVersion(string(text))
	return err
}

// MarshalText returns String.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// String returns the version as players know it, for example "1.26" or "2.0".
func (v Version) String() string {
	if v >= VersionTwo {
		return fmt.Sprintf("%d.%d", 1+v/VersionTwo, v%VersionTwo)
	}
	return fmt.Sprintf("1.%02d", int(v))
}
