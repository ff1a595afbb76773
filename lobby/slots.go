package lobby

import (
	"slices"

	"w3host/protocol/w3gs"
)

// Choices that a layout leaves to the players. A ladder game leaves none.
func (l *Lobby) melee() bool { return l.cfg.Layout == w3gs.LayoutMelee }

func (l *Lobby) fixed() bool {
	return l.cfg.Layout == w3gs.LayoutFixedSettings || l.cfg.Layout == w3gs.LayoutFixedAlone || l.cfg.Layout == w3gs.LayoutLadder
}

// seat puts a player or computer into an open slot and settles what of team,
// colour and race is not the slot's own: all of it in melee.
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

// watches says whether a newcomer to a melee game is an observer: newcomers play while
// a start spot is left that has not been closed.
func (l *Lobby) watches(i int) bool {
	if l.seats[i].Team != l.observer {
		return l.playing(i) >= int(l.cfg.PlayerSlots) && l.cfg.Observers
	}
	closed := 0
	for j, s := range l.slots {
		if s.Status == w3gs.SlotClosed && l.seats[j].Team != l.observer {
			closed++
		}
	}
	return l.playing(i)+closed >= int(l.cfg.PlayerSlots)
}

// playing counts the occupants who would take a start spot, without slot except.
func (l *Lobby) playing(except int) (n int) {
	for i, s := range l.slots {
		if i != except && s.Status == w3gs.SlotOccupied && s.Team != l.observer {
			n++
		}
	}
	return n
}

// freeTeam is the slot's own team when nobody has it, else the lowest free one.
func (l *Lobby) freeTeam(i int) uint8 {
	free := func(team uint8) bool {
		for j, s := range l.slots {
			if j != i && l.taken(j) && s.Team == team {
				return false
			}
		}
		return true
	}
	if own := l.seats[i].Team; own != l.observer && free(own) {
		return own
	}
	return l.lowest(free)
}

// lowest is the first of the teams or colours that is free.
func (l *Lobby) lowest(free func(uint8) bool) uint8 {
	for n := range l.cfg.Wire.MaxPID {
		if free(n) {
			return n
		}
	}
	return l.observer
}

// vacate opens a slot as the map has it. It keeps its colour, since the map's
// may be another's by now.
func (l *Lobby) vacate(i int) {
	s := l.seats[i]
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

// exchange lets two slots change places. In melee everything moves, or all but
// the team. Custom forces keep the team, fixed settings all that the map set; an
// observer's colour and a fixed race belong to the place as well.
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
	if l.fixed() || (l.seats[a].Race&l.seats[b].Race)&w3gs.RaceSelectable == 0 {
		s.Race, t.Race = x.Race, y.Race
	}
	if l.fixed() {
		s.Handicap, t.Handicap = x.Handicap, y.Handicap
	}
}

// Colours are unique among all slots but the observers'. The colour of a slot without
// a player is free to take: the two change colours.

// colourHolder finds another slot with a colour; -1 for none.
func (l *Lobby) colourHolder(i int, colour uint8) int {
	for j, s := range l.slots {
		if j != i && s.Team != l.observer && s.Colour == colour {
			return j
		}
	}
	return -1
}

// occupiedColour finds another occupied slot with a colour; -1 for none. No two
// slots share one.
func (l *Lobby) occupiedColour(i int, colour uint8) int {
	if j := l.colourHolder(i, colour); j >= 0 && l.slots[j].Status == w3gs.SlotOccupied {
		return j
	}
	return -1
}

// freeColour is the lowest colour that no other slot has that is taken.
func (l *Lobby) freeColour(i int) uint8 {
	return l.lowest(func(colour uint8) bool {
		holder := l.colourHolder(i, colour)
		return holder < 0 || !l.taken(holder)
	})
}

// unusedColour is the lowest colour that no slot has at all.
func (l *Lobby) unusedColour() uint8 {
	return l.lowest(func(colour uint8) bool { return l.colourHolder(-1, colour) < 0 })
}

// takeColour gives a slot a colour that no occupied slot has.
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

// Place is a slot of a game that is played again.
type Place struct {
	Name  string // of its player; empty: none, or a computer
	Realm string // that vouches for the name
	Fake  bool
	Slot  w3gs.Slot // as players saw it
}

// restore lays the table of an earlier game out: computers and closed slots as
// they were, fake players again, and open slots where humans were.
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

// placeOf is the slot that is kept for somebody; -1 for none.
func (l *Lobby) placeOf(j Join) int {
	return slices.IndexFunc(l.cfg.Places, func(p Place) bool {
		if l.cfg.Restored { // a realm confirms names only once their players are in
			return p.Slot.PID != 0 && holder{name: p.Name, realm: p.Realm}.means(j)
		}
		return j.is(p.Name, p.Realm)
	})
}

// taken reports whether somebody is in a slot, or it is kept for a name.
func (l *Lobby) taken(i int) bool {
	s := l.slots[i]
	return s.Status == w3gs.SlotOccupied || s.Status == w3gs.SlotOpen && i < len(l.cfg.Places) && l.cfg.Places[i].Name != ""
}

// returnTo gives a player the place that is kept for them, as far as it can still
// be had. An occupant without a right to it changes places with them.
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

// firstOpen is where a newcomer sits down: on a slot that is kept for nobody, if
// there is one; -1 when none is open.
func (l *Lobby) firstOpen() int {
	for i, place := range l.cfg.Places {
		if l.slots[i].Status == w3gs.SlotOpen && place.Name == "" {
			return i
		}
	}
	return slices.IndexFunc(l.slots, func(s w3gs.Slot) bool { return s.Status == w3gs.SlotOpen })
}
