package lobby

import (
	"fmt"

	"w3host/protocol/w3gs"
)

// WatchersName is how players see the seat of the viewers.
const WatchersName = "Watchers"

// seatWatchers seats a fake player, from whose seat viewers are shown the game. It never acts, since a client
// ignores actions of its own that it did not send. unwatched is the reason why there is none; empty: nobody wants one.
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
	if l.seats[at].Team == l.observer { // in melee it could have been for a player
		s.Team, s.Colour = l.observer, l.observer
		if l.version().Reforged() { // as the live host of these versions has it
			s.Colour, s.Race = 0, w3gs.RaceRandom
		}
	}
	l.show(p)
	return pid, ""
}

// watchersSlot finds the last free slot of the observers, or else the last one that the map does not need: beside a
// player of the same force, so that it is no opponent. Without either it says why.
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
		case l.seats[i].Team == l.observer:
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

// forcesOfHumans has the teams in which somebody plays.
func (l *Lobby) forcesOfHumans() (has [256]bool) {
	for _, p := range l.seated(false) {
		has[l.slot(p).Team] = true
	}
	return has
}
