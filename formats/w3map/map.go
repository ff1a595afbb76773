package w3map

import (
	"w3host/protocol/w3gs"
)

// pathPrefix precedes the file name in the path sent to clients. Clients look for the map in this folder and
// store downloads there.
const pathPrefix = `Maps\Download\`

// DefaultSettings are the defaults of the game's "create game" screen, with locked teams.
const DefaultSettings = w3gs.SpeedFast | w3gs.VisibilityDefault | w3gs.TeamsTogether | w3gs.FixedTeams

// Map describes one map file, with identifiers for one game version.
type Map struct {
	File string // file name without folders
	Path string // path sent to clients, at most w3gs.MaxMapPathLen bytes

	Identifiers

	Info

	Reports Reports
	Signed  bool // the file carries Blizzard's signature

	Melee, FixedSettings, CustomForces bool
	Layout                             w3gs.Layout
	Players                            []Player
	Forces                             []Force
	Slots                              []w3gs.Slot // the map's own slots in map order, without observers; see LobbySlots
	PlayerSlots                        uint8       // number of start locations, equal to len(Slots)

	// Others holds the identifiers for other versions, if their scripts differ or an operator has configured
	// them.
	Others map[w3gs.Version]Identifiers

	Version  w3gs.Version      // game version that the identifiers are for
	Settings w3gs.GameSettings // default settings, unless the operator chooses others
	HCL      string            // HCL mode string to start with; usually empty
	Modes    []string          // mode strings that players may vote for
	Link     string            // web page about the map, set by the operator

	// NeedsScripts is set if the checksum could not be computed because the game's scripts are missing; see
	// MissingScripts.
	NeedsScripts bool

	// Warnings are complete sentences for the operator about problems with the map.
	Warnings []string
}

// Info holds the map properties stored in war3map.w3i, except players and forces. The operator's settings
// file for the map may override them.
type Info struct {
	// Texts as stored in the map, including colour codes, which Plain removes.
	Name, Author, Description, RecommendedPlayers string

	Width, Height uint16 // size of the playable area, in the units of war3map.w3i
	Format        uint32 // format of war3map.w3i: 18 Reign of Chaos, 25 The Frozen Throne, 28 1.31, 31 1.32, 33 2.0
	EditorVersion uint32 // 0 before format 16
	Flags         Flags
	Lua           bool // the script is war3map.lua
}

// Identifiers are the four values by which a client recognises the same map file.
type Identifiers struct {
	Size     uint32 // of the file, in bytes
	CRC32    uint32 // CRC-32 (IEEE) of the whole file
	Checksum uint32 // hash of the scripts and the files that affect the simulation ("xoro"); valid if HasChecksum
	SHA1     [20]byte

	HasChecksum bool // false if the game's scripts were missing
	HasSHA1     bool // always false before 1.23, which does not use it
}

// SetOther sets the identifiers for another version.
func (m *Map) SetOther(v w3gs.Version, own Identifiers) {
	if m.Others == nil {
		m.Others = map[w3gs.Version]Identifiers{}
	}
	m.Others[v] = own
}

// For returns the identifiers for clients of version v: those in Others if present, otherwise those of
// Version.
func (m *Map) For(v w3gs.Version) Identifiers {
	if own, ok := m.Others[v]; ok && v != m.Version {
		return own
	}
	return m.Identifiers
}

// Player is a player entry of war3map.w3i. It may be controlled by a person, a computer or nobody.
type Player struct {
	Number     uint32 // also the player's colour
	Type       PlayerType
	Race       PlayerRace
	FixedStart bool
	Name       string
	X, Y       float32
}

// PlayerType is the controller of a player. Unknown values get no slot.
type PlayerType uint32

// Controllers.
const (
	playerHuman PlayerType = iota + 1
	playerComputer
	playerNeutral
	playerRescuable
)

// PlayerRace is a race in the numbering of war3map.w3i. Unknown values mean that the player chooses.
type PlayerRace uint32

// Races in war3map.w3i.
const (
	raceHuman PlayerRace = iota + 1
	raceOrc
	raceUndead
	raceNightElf
)

// Force is a team defined in war3map.w3i.
type Force struct {
	Name    string
	Flags   uint32
	Players uint32 // bit n stands for the player with number n
}

// Flags is the flag field of war3map.w3i. Only flags that affect the lobby are named.
type Flags uint32

// Flags that affect the lobby.
const (
	flagMelee         Flags = 0x0004
	flagFixedSettings Flags = 0x0020
	flagCustomForces  Flags = 0x0040
)

func (f Flags) has(flag Flags) bool { return f&flag != 0 }

// Complete reports whether all identifiers that clients of Version check are known.
func (m *Map) Complete() bool {
	return m.HasChecksum && (m.HasSHA1 || !m.Version.HasSHA1())
}

// SetLayout sets the layout and the matching flags.
func (m *Map) SetLayout(layout w3gs.Layout) {
	m.Layout = layout
	m.CustomForces = layout == w3gs.LayoutCustomForces || layout == w3gs.LayoutFixedSettings
	m.FixedSettings = layout == w3gs.LayoutFixedSettings
}
