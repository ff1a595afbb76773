package lobby

import (
	"fmt"

	"w3host/protocol/w3gs"
)

// WatchersName is the name of the fake player whose seat viewers use.
const WatchersName = "Watchers"

// seatWatchers seats a fake player whose seat viewers use. It never acts, because clients ignore actions of their own
// player that they did not send. unwatched is the reason if there is no such seat, or empty if none is wanted.
func (l *Lobby) seatWatchers() (pid uint8, unwatched string) {
	if !l.cfg.WatchersSeat {
		return 0, ""
	}
	at, why := l.watchersSlot()
	if why != "" {
		return 0, why
	}
	if pid = l.takePID(at, l.version().Reforged()); pid == 0 {
		return 0, fmt.Sprintf("all %d player numbers are taken", l.cfg.Wire.MaxPID)
	}
	p := &player{Join: Join{Req: w3gs.ReqJoin{Name: WatchersName}}, pid: pid, fake: true}
	l.register(p)
	s := &l.slots[at]
	s.Status, s.PID, s.Download = w3gs.SlotOccupied, pid, 100
	if l.mapSlots[at].Team == l.observer { // in melee the slot may have been set up for a player
		s.Team, s.Colour = l.observer, l.observer
		if l.version().Reforged() { // like real hosts of these versions
			s.Colour, s.Race = 0, w3gs.RaceRandom
		}
	}
	l.show(p)
	return pid, ""
}

// watchersSlot returns the last free observer slot, otherwise the last free slot that the map does not need: one in the
// force of a human player, so that it is no opponent. If there is none, why is the reason.
func (l *Lobby) watchersSlot() (at int, why string) {
	switch {
	case l.cfg.NoWatchers != "":
		return 0, l.cfg.NoWatchers
	case l.private:
		return 0, "it is private"
	case l.cfg.Restored:
		return 0, "the slots of a saved game cannot be changed"
	case l.named(WatchersName) != nil:
		return 0, "a player is called " + WatchersName
	}
	observers, spare, allies := -1, -1, l.forcesOfHumans()
	for i, s := range l.slots {
		switch {
		case s.Status == w3gs.SlotOccupied:
		case l.mapSlots[i].Team == l.observer:
			observers = i
		case !l.melee() && allies[s.Team]:
			spare = i
		}
	}
	switch {
	case observers >= 0:
		return observers, ""
	case l.cfg.Observers:
		return 0, "no slot of the observers is free"
	case l.melee():
		return 0, "a melee game has a place for watchers only with observers: set lobby.observers"
	case spare < 0:
		return 0, "no slot is free that the map does not need"
	}
	return spare, ""
}

// forcesOfHumans returns the teams that have human players.
func (l *Lobby) forcesOfHumans() (has [256]bool) {
	for _, p := range l.seated(false) {
		has[l.slot(p).Team] = true
	}
	return has
}
