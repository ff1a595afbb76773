package w3map

import (
	"cmp"
	"fmt"
	"slices"

	"w3host/protocol/w3gs"
)

// editor24 is the first World Editor build that supports 24 players.
const editor24 = 6060

// setSlots derives the layout and slots from flags, players and forces.
func (m *Map) setSlots() {
	m.Melee, m.FixedSettings = m.Flags.has(flagMelee), m.Flags.has(flagFixedSettings)
	m.CustomForces = m.Flags.has(flagCustomForces)
	m.Layout = m.Version.Layout(m.CustomForces, m.FixedSettings)
	var taken uint32 // bit set of colours
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
		m.warn("The map has %d players, but clients of %v support only %d: it needs 1.29 or later.", len(m.Slots), m.Version, limit)
	}
	if len(m.Slots) == 0 {
		m.warn("The map has no slot for a human or computer player.")
	}
}

// openSlot is a slot that any player may take.
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

// team returns the team of a player: the last force that contains it, as in older hosts, or 0 if none does.
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

// LobbySlots returns the slot table of a new lobby. It contains the map's slots, as many as clients of
// Version support, and, if the settings allow observers or referees, open observer slots for the rest.
func (m *Map) LobbySlots(settings w3gs.GameSettings) []w3gs.Slot {
	limit := m.Version.Slots()
	slots := slices.Clone(m.Slots[:min(len(m.Slots), limit)])
	if !allowsObservers(settings) {
		return slots
	}
	if m.EditorVersion < editor24 {
		limit = w3gs.ClassicSlots
	}
	watcher := openSlot
	watcher.Team, watcher.Colour = m.Version.ObserverTeam(), m.Version.ObserverTeam()
	return append(slots, slices.Repeat([]w3gs.Slot{watcher}, max(0, limit-len(slots)))...)
}

// GameType returns the game type with which a game on this map and with these settings is listed.
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
	case allowsObservers(settings):
		t |= w3gs.GameTypeObsFull
	case settings&w3gs.ObserversOnDefeat != 0:
		t |= w3gs.GameTypeObsOnDeath
	default:
		t |= w3gs.GameTypeObsNone
	}
	return t
}

// allowsObservers reports whether the settings allow observers or referees in the lobby.
func allowsObservers(s w3gs.GameSettings) bool {
	return s&w3gs.ObserversOn == w3gs.ObserversOn || s&w3gs.Referees != 0
}

func (m *Map) warn(format string, args ...any) {
	m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
}
