package gamesync

import (
	"time"

	"w3host/protocol/w3gs"
)

// SetShare turns Config.ShareUnits on or off.
func (l *Loop) SetShare(now time.Duration, on bool) {
	if l.enter(now) {
		l.cfg.ShareUnits = on
		l.settle()
	}
}

// shareUnits queues actions in a player's name that share the player's units, vision and victory with each ally.
func (l *Loop) shareUnits(p *player) {
	if !l.cfg.ShareUnits || p.Observer || p.Mute || l.Loading() {
		return
	}
	for pid := range l.live.All() {
		if ally := l.byPID[pid]; ally != p && ally.Team == p.Team && !ally.Observer {
			l.queue(p, w3gs.ShareUnits(ally.Slot))
		}
	}
}
