package lobby

import "w3host/w3gs"

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

// occupiedColour finds another occupied slot with a colour; -1 for none.
func (l *Lobby) occupiedColour(i int, colour uint8) int {
	for j, s := range l.slots {
		if j != i && s.Status == w3gs.SlotOccupied && s.Team != l.observer && s.Colour == colour {
			return j
		}
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
