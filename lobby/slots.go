package lobby

import (
	"w3host/w3gs"
)

// What a layout leaves to the players. A ladder game leaves nothing.
func (l *Lobby) melee() bool { return l.cfg.Layout == w3gs.LayoutMelee }

func (l *Lobby) fixed() bool {
	return l.cfg.Layout == w3gs.LayoutFixedSettings || l.cfg.Layout == w3gs.LayoutLadder
}

// seat puts a player into an open slot.
func (l *Lobby) seat(i int, p *player) {
	l.occupy(i, l.melee() && l.watches(i))
	s := &l.slots[i]
	s.PID = p.pid
	s.Download = w3gs.DownloadUnknown
	if p.fake {
		s.Download = 100
	}
}

// seatComputer puts a computer into an open slot.
func (l *Lobby) seatComputer(i int, ai w3gs.AI) {
	l.occupy(i, false)
	s := &l.slots[i]
	s.Computer, s.AI, s.Download = true, ai, 100
}

// occupy takes a slot and settles team, colour and race: the slot's own with
// custom forces, free ones in melee, where some only watch.
func (l *Lobby) occupy(i int, watch bool) {
	s := &l.slots[i]
	if l.melee() {
		l.meleePlace(i, watch)
	} else if s.Team != l.observer && l.occupiedColour(i, s.Colour) >= 0 {
		l.takeColour(i, l.freeColour(i))
	}
	s.Status, s.Computer, s.AI = w3gs.SlotOccupied, false, w3gs.AINormal
}

// meleePlace settles a slot of a map without forces.
func (l *Lobby) meleePlace(i int, watch bool) {
	s := &l.slots[i]
	s.Handicap = 100
	s.Race = w3gs.RaceRandom | w3gs.RaceSelectable
	if l.cfg.RandomRaces {
		s.Race = w3gs.RaceRandom
	}
	if watch {
		s.Team, s.Colour = l.observer, l.observer
		return
	}
	s.Team = l.freeTeam(i)
	l.takeColour(i, l.freeColour(i))
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

// playing counts who would take a start spot, without slot except.
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
	taken := func(team uint8) bool {
		for j, s := range l.slots {
			if j != i && l.taken(j) && s.Team == team {
				return true
			}
		}
		return false
	}
	if own := l.seats[i].Team; own != l.observer && !taken(own) {
		return own
	}
	team := uint8(0)
	for team < l.cfg.MaxPID-1 && taken(team) {
		team++
	}
	return team
}

// vacate opens a slot as the map has it. It keeps its colour, since the map's
// may be another's by now.
func (l *Lobby) vacate(i int) {
	colour := l.slots[i].Colour
	s := l.seats[i]
	s.Status, s.Computer, s.AI = w3gs.SlotOpen, false, w3gs.AINormal
	if l.seats[i].Computer {
		s.Download = w3gs.DownloadUnknown
	}
	l.slots[i] = s
	if s.Team == l.observer {
		return
	}
	if colour >= l.cfg.MaxPID {
		l.slots[i].Colour = l.observer // not a colour, so that it is not counted as used
		colour = l.unusedColour()
	}
	l.slots[i].Colour = colour
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

// Colours are unique among all slots but the observers'. What a slot without a
// player holds is free to take: the two change colours.

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
	for colour := range l.cfg.MaxPID {
		if holder := l.colourHolder(i, colour); holder < 0 || !l.taken(holder) {
			return colour
		}
	}
	return l.observer
}

// unusedColour is the lowest colour that no slot has at all.
func (l *Lobby) unusedColour() uint8 {
	for colour := range l.cfg.MaxPID {
		if l.colourHolder(-1, colour) < 0 {
			return colour
		}
	}
	return l.observer
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
	if old >= l.cfg.MaxPID {
		l.slots[holder].Colour = l.unusedColour()
	}
}
