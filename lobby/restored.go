package lobby

import (
	"slices"

	"w3host/protocol/w3gs"
)

// The lobby of a saved game (Config.Restored) has one Place per slot. A place with a pid is reserved for its player, who
// gets that pid again, because the clients' saved games identify players by pid. Everything else about the slots stays
// as it was saved.

// keeps reports whether an operation would change something that is fixed in the lobby of a saved game.
func (l *Lobby) keeps(op Operation) bool {
	switch op := op.(type) {
	case SetSlots, Swap, Shuffle, Arrange, Computer, Computers, DeleteComputers, Set, SetTeams, Observe, HCL, Hold:
		return l.cfg.Restored
	case Kick:
		return l.cfg.Restored && op.CloseSlot
	case AutoStart:
		return l.cfg.Restored && op.Balanced
	}
	return false
}

// savedPID reports whether a pid belongs to a player of the saved game.
func (l *Lobby) savedPID(pid uint8) bool {
	return l.cfg.Restored && slices.ContainsFunc(l.cfg.Places, func(p Place) bool { return p.Slot.PID == pid })
}

// unused reports whether an open slot had no player in the saved game. It stays open in the table, but no player can
// join there.
func (l *Lobby) unused(i int) bool {
	return l.cfg.Restored && l.slots[i].Status == w3gs.SlotOpen && l.cfg.Places[i].Slot.PID == 0
}

// absentees returns the names of the saved game's players who are not present.
func (l *Lobby) absentees() (names []string) {
	for i, s := range l.slots {
		if l.cfg.Restored && s.Status == w3gs.SlotOpen && !l.unused(i) {
			names = append(names, l.cfg.Places[i].Name)
		}
	}
	return names
}

// placeholder returns the fake player that occupies the place of a joiner in a saved game, or nil.
func (l *Lobby) placeholder(j Join) *player {
	if p := l.named(j.Req.Name); p != nil && p.fake && l.cfg.Restored && l.placeOf(j) >= 0 {
		return p
	}
	return nil
}
