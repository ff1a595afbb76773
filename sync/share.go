package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
)

// SetShare has players who leave share their units with their allies, or not any more.
func (l *Loop) SetShare(now time.Duration, on bool) {
	if l.enter(now) {
		l.cfg.ShareUnits = on
		l.settle()
	}
}

// share gives the allies of a player all that clients give by "share units" in the menu of allies,
// in the player's name.
func (l *Loop) share(p *player) {
	if !l.cfg.ShareUnits || p.Observer || p.Mute || l.Loading() {
		return
	}
	for pid := range l.live.All() {
		if ally := l.byPID[pid]; ally != p && ally.Team == p.Team && !ally.Observer {
			l.queue(p, w3gs.ShareUnits(ally.Slot))
		}
	}
}
