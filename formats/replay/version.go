package replay

import (
	"fmt"

	"w3host/protocol/w3gs"
)

// Version is the version field of the header: 26 for 1.26; 10030 to 10036 for
// 1.30 to 1.36 (one file of 1.30 has 30); 10100 for 2.0, 10200 for 3.0; 301 to 315 and 401 to
// 406 for betas of The Frozen Throne and of 1.15 to 1.17.
type Version uint32

// String names the version as players do.
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

// game is the version of the game on which the format depends.
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

// Program is the program that recorded: it decides the layout of the rest.
type Program struct {
	Product string // "WAR3", "W3XP"; "" in header version 0, which does not have it
	Version Version
	Build   uint16 // 0 in official replays
	Flags   uint16 // Multiplayer, or 0 for a single-player game
}

// Multiplayer is the flag of games on a network.
const Multiplayer uint16 = 0x8000

// Products of a Program: the classic game and The Frozen Throne.
const (
	ProductClassic   = "WAR3"
	ProductExpansion = "W3XP"
)

// builds are the build numbers of classic versions: document §2.3, and real
// files from 1.22 on. Index: minor version.
var builds = [...]uint16{
	0: 4448, 4482, 4531, 4572, 4654, 4654, 4656, 6031, 10: 6034, 6035, 6036, 6037,
	14: 6040, 6043, 6046, 6050, 6051, 6052, 6052, 6052, 22: 6057, 6058, 6059, 6059, 6059, 6059, 6059,
	29: 6060, 6061, 6072,
	32: 6091, 6091, 6091, 6091, 6091,
}

// buildTwo is the build number of 2.0.2.
const buildTwo = 6115

// BuildOf is the build number that replays of version 1.minor carry; 0 where
// it is not known. 3.0 has that of 2.0.2, since its own is not known and the layout depends on it.
func BuildOf(minor int) uint16 {
	if minor >= int(w3gs.VersionTwo) {
		return buildTwo
	}
	if minor < 0 || minor >= len(builds) {
		return 0
	}
	return builds[minor]
}

// HostOf returns the program that a host of version 1.minor writes into its replays; 100 is 2.0, 200 is 3.0.
func HostOf(product string, minor int) Program {
	v := Version(minor)
	if minor >= 30 {
		v += 10000
	}
	return Program{Product: product, Version: v, Build: BuildOf(minor), Flags: Multiplayer}
}

// slotLen is the length of a slot record: AI strength came with 1.03, the
// handicap with 1.07.
func (p Program) slotLen() int {
	switch m := p.Version.game(); {
	case m < 3:
		return 7
	case m < 7:
		return 8
	}
	return 9
}

// early is 1.02 and before: turns are 0x1E, checksums 0x20, chat is not saved.
func (p Program) early() bool { return p.Version.game() <= 2 }

// PlayerExtra returns the bytes behind a player's name in a custom game.
func (p Program) PlayerExtra() []byte { return make([]byte, p.Version.game().JoinExtra()) }

// MetaID is the ID of the records about players, as the latest release of the version has it.
func (p Program) MetaID() byte {
	if p.Version.game() >= w3gs.VersionTwo {
		return metaLate
	}
	return metaEarly
}

// build114b is the build of 1.14b; that of 1.14 is not known.
const build114b = 6040

// wide is 1.32 and later: block headers have 12 bytes.
func (p Program) wide() bool { return p.Build >= 6089 }
