package replay

import (
	"fmt"

	"w3host/protocol/w3gs"
)

// Version is the version field of the header: 26 for 1.26; 10030 to 10036 for 1.30 to 1.36 (one file of 1.30
// has 30); 10100 for 2.0; 10200 for 3.0; 301 to 315 and 401 to 406 for betas of The Frozen Throne and of 1.15
// to 1.17.
type Version uint32

// String returns the version as players know it, for example "1.26".
func (v Version) String() string {
	switch {
	case v >= 10100 && v < 10300:
		return w3gs.Version(v - 10000).String()
	case v >= 10000 && v < 10100:
		v -= 10000
	case v >= 300 && v < 400:
		return fmt.Sprintf("beta %d", uint32(v))
	case v > 999:
		return fmt.Sprintf("unknown (%d)", uint32(v))
	}
	return fmt.Sprintf("1.%02d", uint32(v))
}

// game returns the game version on which the layout of the file depends.
func (v Version) game() w3gs.Version {
	switch {
	case v >= 10000:
		return w3gs.Version(min(v-10000, 1000))
	case v >= 400 && v < 500:
		return 15
	case v >= 300 && v < 400:
		return 7
	}
	return w3gs.Version(min(v, 1000))
}

// Program identifies the program that recorded a replay. It determines the layout of the file.
type Program struct {
	Product string // "WAR3" or "W3XP"; "" in header version 0, which has no product field
	Version Version
	Build   uint16 // 0 in official replays
	Flags   uint16 // Multiplayer, or 0 for single-player games
}

// Multiplayer is the bit of Program.Flags that marks a multiplayer game.
const Multiplayer uint16 = 0x8000

// Products of a Program: Reign of Chaos and The Frozen Throne.
const (
	ProductClassic   = "WAR3"
	ProductExpansion = "W3XP"
)

// builds holds the build numbers of versions 1.00 to 1.36, indexed by minor version. They come from §2.3 of the
// replay format document and, from 1.22 on, from real files.
var builds = [...]uint16{
	0: 4448, 4482, 4531, 4572, 4654, 4654, 4656, 6031, 10: 6034, 6035, 6036, 6037,
	14: 6040, 6043, 6046, 6050, 6051, 6052, 6052, 6052, 22: 6057, 6058, 6059, 6059, 6059, 6059, 6059,
	29: 6060, 6061, 6072,
	32: 6091, 6091, 6091, 6091, 6091,
}

// buildTwo is the build number of 2.0.2.
const buildTwo = 6115

// BuildOf returns the build number in replays of version 1.minor, or 0 if it is unknown. For 3.0, whose build
// number is unknown, it returns that of 2.0.2, because readers derive the file layout from the build number.
func BuildOf(minor int) uint16 {
	if minor >= int(w3gs.VersionTwo) {
		return buildTwo
	}
	if minor < 0 || minor >= len(builds) {
		return 0
	}
	return builds[minor]
}

// HostOf returns the Program that a host of version 1.minor writes into its replays; 100 stands for 2.0 and
// 200 for 3.0.
func HostOf(product string, minor int) Program {
	v := Version(minor)
	if minor >= 30 {
		v += 10000
	}
	return Program{Product: product, Version: v, Build: BuildOf(minor), Flags: Multiplayer}
}

// slotLen returns the length of a slot record in bytes. 1.03 added the AI strength and 1.07 the handicap.
func (p Program) slotLen() int {
	switch m := p.Version.game(); {
	case m < 3:
		return 7
	case m < 7:
		return 8
	}
	return 9
}

// early reports whether the version is 1.02 or earlier. In these versions turn records have the ID 0x1E and
// checksum records 0x20, and chat is not recorded.
func (p Program) early() bool { return p.Version.game() <= 2 }

// PlayerExtra returns the additional bytes at the end of a player record in a custom game, all zero.
func (p Program) PlayerExtra() []byte { return make([]byte, p.Version.game().JoinExtra()) }

// MetaID returns the ID of metadata records, as the latest release of the version writes them.
func (p Program) MetaID() byte {
	if p.Version.game() >= w3gs.VersionTwo {
		return metaLate
	}
	return metaEarly
}

// build114b is the build number of 1.14b. The build number of 1.14 is unknown.
const build114b = 6040

// wide reports whether block headers have 32-bit sizes, which is the case from 1.32 on.
func (p Program) wide() bool { return p.Build >= 6089 }
