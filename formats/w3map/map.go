package w3map

import (
	"w3host/protocol/w3gs"
)

// pathPrefix stands before the file's name in the path that clients are shown: that is where they look for the map,
// and where they put it when the host sends it.
const pathPrefix = `Maps\Download\`

// DefaultSettings are those of the game's own "create game" screen, teams locked.
const DefaultSettings = w3gs.SpeedFast | w3gs.VisibilityDefault | w3gs.TeamsTogether | w3gs.FixedTeams

// Map describes one map file for one version of the game.
type Map struct {
	File string // name of the file, without folders
	Path string // what clients are shown, at most w3gs.MaxMapPathLen bytes; see pathPrefix

	Identifiers

	Info

	Reports Reports
	Signed  bool // carries Blizzard's signature

	Melee, FixedSettings, CustomForces bool
	Layout                             w3gs.Layout
	Players                            []Player
	Forces                             []Force
	Slots                              []w3gs.Slot // in the map's order, without observers; see LobbySlots
	PlayerSlots                        uint8       // start spots: the number of Slots

	// Others are identifiers for other versions, where the scripts of these differ or an
	// operator has said them.
	Others map[w3gs.Version]Identifiers

	Version  w3gs.Version      // of the game that the identifiers are for
	Settings w3gs.GameSettings // to host it with, unless the operator chooses others
	HCL      string            // command string to start with, mostly empty
	Modes    []string          // command strings that players may vote for
	Link     string            // a page about the map, as the operator says

	// NeedsScripts says that the checksum could not be computed for want of the game's scripts; see
	// MissingScripts.
	NeedsScripts bool

	// Warnings are sentences for the operator about what is odd in the map.
	Warnings []string
}

// Info is the contents of war3map.w3i about the map, apart from players and forces. A file beside the map may say otherwise.
type Info struct {
	// Texts as in the map, with colour codes; Plain removes those.
	Name, Author, Description, RecommendedPlayers string

	Width, Height uint16 // playable, in the units of war3map.w3i
	Format        uint32 // 18 Reign of Chaos, 25 The Frozen Throne, 28 1.31, 31 1.32, 33 2.0
	EditorVersion uint32 // 0 before format 16
	Flags         Flags
	Lua           bool // the script is war3map.lua
}

// Identifiers are the four values by which a client knows that it holds the same map.
type Identifiers struct {
	Size     uint32 // of the file, in bytes
	CRC32    uint32 // IEEE, of the whole file
	Checksum uint32 // of the scripts and the files that decide the game ("xoro"), if HasChecksum
	SHA1     [20]byte

	HasChecksum bool // false if the game's scripts are missing
	HasSHA1     bool // false too before 1.23, where none is sent
}

// SetOther sets the identifiers for another version.
func (m *Map) SetOther(v w3gs.Version, own Identifiers) {
	if m.Others == nil {
		m.Others = map[w3gs.Version]Identifiers{}
	}
	m.Others[v] = own
}

// For returns the identifiers for clients of a version in the same game: its own, where
// they are known, or those of Version.
func (m *Map) For(v w3gs.Version) Identifiers {
	if own, ok := m.Others[v]; ok && v != m.Version {
		return own
	}
	return m.Identifiers
}

// Player is a player of war3map.w3i: a person, a computer or none.
type Player struct {
	Number     uint32 // also the colour
	Type       PlayerType
	Race       PlayerRace
	FixedStart bool
	Name       string
	X, Y       float32
}

// PlayerType is the kind of a player's control. Other values occur and get no slot.
type PlayerType uint32

// Controllers.
const (
	playerHuman PlayerType = iota + 1
	playerComputer
	playerNeutral
	playerRescuable
)

// PlayerRace is a race as war3map.w3i counts them. Other values mean that the player chooses.
type PlayerRace uint32

// Races.
const (
	raceHuman PlayerRace = iota + 1
	raceOrc
	raceUndead
	raceNightElf
)

// Force is a team of war3map.w3i.
type Force struct {
	Name    string
	Flags   uint32
	Players uint32 // bit n stands for player number n
}

// Flags are the options of war3map.w3i. Only those are named that decide about the lobby.
type Flags uint32

// Flags used.
const (
	flagMelee         Flags = 0x0004
	flagFixedSettings Flags = 0x0020
	flagCustomForces  Flags = 0x0040
)

func (f Flags) has(flag Flags) bool { return f&flag != 0 }

// Complete reports whether all that a client of the hosted version checks is there.
func (m *Map) Complete() bool {
	return m.HasChecksum && (m.HasSHA1 || !m.Version.HasSHA1())
}

// SetLayout changes the layout and the flags that it stands for.
func (m *Map) SetLayout(layout w3gs.Layout) {
	m.Layout = layout
	m.CustomForces = layout == w3gs.LayoutCustomForces || layout == w3gs.LayoutFixedSettings
	m.FixedSettings = layout == w3gs.LayoutFixedSettings
}
