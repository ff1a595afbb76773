package lobby

import (
	"slices"

	"w3host/w3gs"
)

// Place is a slot of a game that is played again.
type Place struct {
	Name  string // of its player; empty: none, or a computer
	Realm string // that vouches for the name
	Fake  bool
	Slot  w3gs.Slot // as players saw it
}

// places are the slots of a game that starts. They must be taken before the mode
// string goes into the handicaps.
func (l *Lobby) places() []Place {
	list := make([]Place, len(l.slots))
	for i, s := range l.slots {
		p, _ := l.Player(s.PID)
		list[i] = Place{p.Name, p.Realm, p.Fake, s}
	}
	return list
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
	return slices.IndexFunc(l.cfg.Places, func(p Place) bool { return j.is(p.Name, p.Realm) })
}

// taken reports whether somebody is in a slot, or it is kept for a name.
func (l *Lobby) taken(i int) bool {
	s := l.slots[i]
	return s.Status == w3gs.SlotOccupied || s.Status == w3gs.SlotOpen && i < len(l.cfg.Places) && l.cfg.Places[i].Name != ""
}

// returnTo gives a player the place that is kept for them, as far as it can still
// be had. Who sits there without a right to it changes places with them.
func (l *Lobby) returnTo(p *player) {
	to, from := l.placeOf(p.Join), l.slotOf(p.pid)
	if to < 0 || l.slots[to].Computer || l.slots[to].Status == w3gs.SlotClosed {
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
