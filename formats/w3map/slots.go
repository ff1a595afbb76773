package w3map

import (
	"cmp"
	"fmt"
	"slices"

	"w3host/protocol/w3gs"
)

// editor24 is the first World Editor whose maps may have 24 players.
const editor24 = 6060

// setSlots derives layout and slots from flags, players and forces.
func (m *Map) setSlots() {
	m.Melee, m.FixedSettings = m.Flags.has(flagMelee), m.Flags.has(flagFixedSettings)
	m.CustomForces = m.Flags.has(flagCustomForces)
	m.Layout = m.Version.Layout(m.CustomForces, m.FixedSettings)
	var taken uint32 // colours
	for _, p := range m.Players {
		bit := uint32(1) << (p.Number % maxPlayers)
		switch {
		case p.Type != playerHuman && p.Type != playerComputer:
			continue
		case p.Number >= w3gs.MaxSlots || taken&bit != 0:
			m.warn("Player number %d of the map gets no slot: the number is taken or above %d.", p.Number, w3gs.MaxSlots-1)
			continue
		}
		taken |= bit
		m.Slots = append(m.Slots, m.slot(p))
	}
	m.PlayerSlots = uint8(len(m.Slots))
	if limit := m.Version.Slots(); len(m.Slots) > limit {
		m.warn("The map has %d players, of which clients of %v know %d: it needs 1.29 or later.", len(m.Slots), m.Version, limit)
	}
	if len(m.Slots) == 0 {
		m.warn("The map has no slot for a human or computer player.")
	}
}

// openSlot waits for anybody.
var openSlot = w3gs.Slot{
	Download: w3gs.DownloadUnknown, Status: w3gs.SlotOpen, Race: w3gs.RaceRandom, AI: w3gs.AINormal, Handicap: 100,
}

func (m *Map) slot(p Player) w3gs.Slot {
	s := openSlot
	s.Team, s.Colour, s.Race = m.team(p.Number), uint8(p.Number), cmp.Or(slotRaces[p.Race], s.Race)
	if p.Type == playerComputer {
		s.Status, s.Computer, s.Download = w3gs.SlotOccupied, true, 100
	}
	if m.Melee || m.Layout == w3gs.LayoutFixedAlone {
		s.Team = uint8(len(m.Slots))
	}
	if m.Melee {
		s.Race = w3gs.RaceRandom
	}
	if !m.FixedSettings || s.Race == w3gs.RaceRandom && m.Version.ChoosesUnsetRaces() {
		s.Race |= w3gs.RaceSelectable
	}
	return s
}

// team is the last force that holds the player, as in older hosts; 0 if none does.
func (m *Map) team(number uint32) (team uint8) {
	for i, f := range m.Forces {
		if f.Players>>number&1 != 0 && i < int(m.Version.ObserverTeam()) {
			team = uint8(i)
		}
	}
	return team
}

var slotRaces = map[PlayerRace]w3gs.Race{
	raceHuman: w3gs.RaceHuman, raceOrc: w3gs.RaceOrc, raceUndead: w3gs.RaceUndead, raceNightElf: w3gs.RaceNightElf,
}

// LobbySlots is the slot table of a fresh lobby: as many of the map's slots as clients of the hosted version know and,
// if the settings have observers or referees, open observer slots for the rest.
func (m *Map) LobbySlots(settings w3gs.GameSettings) []w3gs.Slot {
	limit := m.Version.Slots()
	slots := slices.Clone(m.Slots[:min(len(m.Slots), limit)])
	if !observed(settings) {
		return slots
	}
	if m.EditorVersion < editor24 {
		limit = w3gs.ClassicSlots
	}
	watcher := openSlot
	watcher.Team, watcher.Colour = m.Version.ObserverTeam(), m.Version.ObserverTeam()
	return append(slots, slices.Repeat([]w3gs.Slot{watcher}, max(0, limit-len(slots)))...)
}

// GameType is the game type of a 0x30 for this map under these settings.
func (m *Map) GameType(settings w3gs.GameSettings) w3gs.GameType {
	t := w3gs.GameTypeCustom | w3gs.GameTypeLarge
	if m.Melee {
		t |= w3gs.GameTypeMeleeMap
	} else {
		t |= w3gs.GameTypeScenario
	}
	if m.Signed {
		t |= w3gs.GameTypeSigned | w3gs.GameTypeBlizzardMap
	} else {
		t |= w3gs.GameTypeUserMap
	}
	switch {
	case observed(settings):
		t |= w3gs.GameTypeObsFull
	case settings&w3gs.ObserversOnDefeat != 0:
		t |= w3gs.GameTypeObsOnDeath
	default:
		t |= w3gs.GameTypeObsNone
	}
	return t
}

// observed says whether the settings let people who do not play into the lobby.
func observed(s w3gs.GameSettings) bool {
	return s&w3gs.ObserversOn == w3gs.ObserversOn || s&w3gs.Referees != 0
}

func (m *Map) warn(format string, args ...any) {
	m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
}
