package lobby

import (
	"slices"

	"w3host/protocol/w3gs"
)

// The lobby of a saved game (Config.Restored) has one Place for each slot. A place with a pid
// belongs to a player, who alone can join there and gets that pid again, because the clients' saved
// games know the players by these numbers. All else of the slots stays as it was saved.

// keeps reports whether an operation would change something that the lobby of a saved game keeps.
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

// savedPID reports whether a pid is one of the saved game's players.
func (l *Lobby) savedPID(pid uint8) bool {
	return l.cfg.Restored && slices.ContainsFunc(l.cfg.Places, func(p Place) bool { return p.Slot.PID == pid })
}

// unused reports whether nobody of the saved game was in an open slot. It stays open in the
// table, but nobody can join there.
func (l *Lobby) unused(i int) bool {
	return l.cfg.Restored && l.slots[i].Status == w3gs.SlotOpen && l.cfg.Places[i].Slot.PID == 0
}

// absentees names the players of the saved game whose places are empty.
func (l *Lobby) absentees() (names []string) {
	for i, s := range l.slots {
		if l.cfg.Restored && s.Status == w3gs.SlotOpen && !l.unused(i) {
			names = append(names, l.cfg.Places[i].Name)
		}
	}
	return names
}

// placeholder is the fake player in the place of a joiner of a saved game; nil: none.
func (l *Lobby) placeholder(j Join) *player {
	if p := l.named(j.Req.Name); p != nil && p.fake && l.cfg.Restored && l.placeOf(j) >= 0 {
		return p
	}
	return nil
}
