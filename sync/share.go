package gamesync

import "w3host/protocol/w3gs"

// SetShare has players who leave share their units with their allies, or not any more.
type SetShare struct{ On bool }

func (e SetShare) apply(l *Loop) { l.cfg.ShareUnits = e.On }

// share gives the allies of a player all that clients give by "share units" in the menu of allies,
// in the player's name.
func (l *Loop) share(p *player) {
	if !l.cfg.ShareUnits || p.Observer || l.phase == loading {
		return
	}
	for pid := range l.live.All() {
		if ally := l.byPID[pid]; ally != p && ally.Team == p.Team && !ally.Observer {
			l.queue(p, w3gs.ShareUnits(ally.Slot))
		}
	}
}
