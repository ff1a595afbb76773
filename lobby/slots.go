package lobby

import (
	"slices"

	"w3host/protocol/w3gs"
)

// melee reports whether players choose teams, colours and races freely.
func (l *Lobby) melee() bool { return l.cfg.Layout == w3gs.LayoutMelee }

func (l *Lobby) fixed() bool {
	return l.cfg.Layout == w3gs.LayoutFixedSettings || l.cfg.Layout == w3gs.LayoutFixedAlone || l.cfg.Layout == w3gs.LayoutLadder
}

// seat puts a player or computer into an open slot and sets team, colour and race, unless the map fixes them. In melee
// it sets all of them.
func (l *Lobby) seat(i int, who w3gs.Slot) {
	s := &l.slots[i]
	switch watch := !who.Computer && l.melee() && l.watches(i); {
	case l.cfg.Restored:
	case watch:
		s.Team, s.Colour = l.observer, l.observer
	case l.melee():
		s.Team = l.newTeam(i, who.Computer)
		l.takeColour(i, l.freeColour(i))
	case s.Team != l.observer && l.occupiedColour(i, s.Colour) >= 0:
		l.takeColour(i, l.freeColour(i))
	}
	if l.melee() {
		s.Handicap, s.Race = 100, w3gs.RaceRandom|w3gs.RaceSelectable
		if l.cfg.RandomRaces {
			s.Race = w3gs.RaceRandom
		}
	}
	s.Status, s.PID, s.Download, s.Computer, s.AI = w3gs.SlotOccupied, who.PID, who.Download, who.Computer, who.AI
}

// watches reports whether a newcomer to a melee game becomes an observer: newcomers play as long as a starting position
// is left that was not closed.
func (l *Lobby) watches(i int) bool {
	if l.mapSlots[i].Team != l.observer {
		return l.playing(i) >= int(l.cfg.PlayerSlots) && l.cfg.Observers
	}
	closed := 0
	for j, s := range l.slots {
		if s.Status == w3gs.SlotClosed && l.mapSlots[j].Team != l.observer {
			closed++
		}
	}
	return l.playing(i)+closed >= int(l.cfg.PlayerSlots)
}

// playing counts the occupants who take a starting position, without the slot except.
func (l *Lobby) playing(except int) (n int) {
	for i, s := range l.slots {
		if i != except && s.Status == w3gs.SlotOccupied && s.Team != l.observer {
			n++
		}
	}
	return n
}

// freeTeam returns the slot's own team if no other slot has it, otherwise the lowest free team.
func (l *Lobby) freeTeam(i int) uint8 {
	free := func(team uint8) bool {
		for j, s := range l.slots {
			if j != i && l.taken(j) && s.Team == team {
				return false
			}
		}
		return true
	}
	if own := l.mapSlots[i].Team; own != l.observer && free(own) {
		return own
	}
	return l.lowest(free)
}

// lowest returns the first free team or colour, or the observers'.
func (l *Lobby) lowest(free func(uint8) bool) uint8 {
	for n := range l.cfg.Wire.MaxPID {
		if free(n) {
			return n
		}
	}
	return l.observer
}

// vacate opens a slot as the map defines it. The slot keeps its current colour, because the map's colour may be in use
// by another slot.
func (l *Lobby) vacate(i int) {
	s := l.mapSlots[i]
	if s.Computer {
		s.Download = w3gs.DownloadUnknown
	}
	s.Status, s.Computer, s.AI = w3gs.SlotOpen, false, w3gs.AINormal
	if s.Team != l.observer {
		if s.Colour = l.slots[i].Colour; s.Colour >= l.cfg.Wire.MaxPID {
			s.Colour = l.unusedColour()
		}
	}
	l.slots[i] = s
}

// exchange exchanges two slots. In melee everything moves, or everything except the team. With custom forces the team
// stays with the slot, with fixed settings everything that the map sets. An observer's colour and a fixed race stay with
// the slot as well.
func (l *Lobby) exchange(a, b int, keepTeam bool) {
	x, y := l.slots[a], l.slots[b]
	l.slots[a], l.slots[b] = y, x
	s, t := &l.slots[a], &l.slots[b]
	if !l.melee() || keepTeam {
		s.Team, t.Team = x.Team, y.Team
	}
	if l.melee() {
		return
	}
	if l.fixed() || x.Team == l.observer || y.Team == l.observer {
		s.Colour, t.Colour = x.Colour, y.Colour
	}
	if l.fixed() || (l.mapSlots[a].Race&l.mapSlots[b].Race)&w3gs.RaceSelectable == 0 {
		s.Race, t.Race = x.Race, y.Race
	}
	if l.fixed() {
		s.Handicap, t.Handicap = x.Handicap, y.Handicap
	}
}

// Colours are unique among all slots except the observers'. A slot may take the colour of an unoccupied slot; the two
// then swap colours.

// colourHolder returns another slot with this colour, or -1.
func (l *Lobby) colourHolder(i int, colour uint8) int {
	for j, s := range l.slots {
		if j != i && s.Team != l.observer && s.Colour == colour {
			return j
		}
	}
	return -1
}

// occupiedColour returns another occupied slot with this colour, or -1.
func (l *Lobby) occupiedColour(i int, colour uint8) int {
	if j := l.colourHolder(i, colour); j >= 0 && l.slots[j].Status == w3gs.SlotOccupied {
		return j
	}
	return -1
}

// freeColour returns the lowest colour that no other occupied or reserved slot has.
func (l *Lobby) freeColour(i int) uint8 {
	return l.lowest(func(colour uint8) bool {
		holder := l.colourHolder(i, colour)
		return holder < 0 || !l.taken(holder)
	})
}

// unusedColour returns the lowest colour that no slot has at all.
func (l *Lobby) unusedColour() uint8 {
	return l.lowest(func(colour uint8) bool { return l.colourHolder(-1, colour) < 0 })
}

// takeColour gives slot i a colour that no occupied slot has.
func (l *Lobby) takeColour(i int, colour uint8) {
	holder := l.colourHolder(i, colour)
	old := l.slots[i].Colour
	l.slots[i].Colour = colour
	if holder < 0 {
		return
	}
	l.slots[holder].Colour = old
	if old >= l.cfg.Wire.MaxPID {
		l.slots[holder].Colour = l.unusedColour()
	}
}

// Place is a slot of an earlier game that is played again or continued.
type Place struct {
	Name  string // player in the slot; empty for none or a computer
	Realm string // realm that confirmed the name
	Fake  bool
	Slot  w3gs.Slot // as players saw it
}

// restore lays out the slots of an earlier game: computers, closed slots and fake players as before, and open slots for
// its human players.
func (l *Lobby) restore() {
	for i, place := range l.cfg.Places {
		s := place.Slot
		if s.PID != 0 {
			s.Status, s.PID, s.Download = w3gs.SlotOpen, 0, w3gs.DownloadUnknown
		}
		l.slots[i] = s
	}
	for _, place := range l.cfg.Places {
		if place.Fake && l.hasRoom(1) {
			l.enterFake(place.Name)
		}
	}
}

// placeOf returns the slot reserved for a joiner in an earlier game, or -1.
func (l *Lobby) placeOf(j Join) int {
	return slices.IndexFunc(l.cfg.Places, func(p Place) bool {
		if l.cfg.Restored { // a realm confirms names only after the join
			return p.Slot.PID != 0 && holder{name: p.Name, realm: p.Realm}.means(j)
		}
		return j.is(p.Name, p.Realm)
	})
}

// taken reports whether a slot is occupied or reserved for a name.
func (l *Lobby) taken(i int) bool {
	s := l.slots[i]
	return s.Status == w3gs.SlotOccupied || s.Status == w3gs.SlotOpen && i < len(l.cfg.Places) && l.cfg.Places[i].Name != ""
}

// returnTo moves a player to the place reserved for them, with its properties as far as they are available. Another
// occupant of the place swaps with them.
func (l *Lobby) returnTo(p *player) {
	to, from := l.placeOf(p.Join), l.slotOf(p.pid)
	if to < 0 || l.cfg.Restored || l.slots[to].Computer || l.slots[to].Status == w3gs.SlotClosed {
		return
	}
	if to != from {
		l.exchange(from, to, false)
	}
	was := l.cfg.Places[to].Slot
	if l.melee() {
		_ = l.changeTeam(to, was.Team)
	}
	_ = l.changeColour(to, was.Colour)
	_ = l.changeRace(to, was.Race&^w3gs.RaceSelectable)
	_ = l.changeHandicap(to, was.Handicap)
}

// firstOpen returns the slot for a newcomer: an open one that is not reserved, if there is one, otherwise any open one,
// or -1.
func (l *Lobby) firstOpen() int {
	for i, place := range l.cfg.Places {
		if l.slots[i].Status == w3gs.SlotOpen && place.Name == "" {
			return i
		}
	}
	return slices.IndexFunc(l.slots, func(s w3gs.Slot) bool { return s.Status == w3gs.SlotOpen })
}
