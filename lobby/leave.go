package lobby

import (
	"w3host/texts"
	"w3host/w3gs"
)

// leave takes a player off who has left.
func (l *Lobby) leave(p *player, ev Leave) {
	gone := Left{PID: p.pid, Slot: l.slotOf(p.pid), Name: p.name, Reason: ev.Reason, Lost: ev.Lost}
	if l.phase == phaseStarted {
		l.players[p.pid] = nil
		l.emit(gone)
		return
	}
	if !ev.Lost {
		l.send(p.pid, &w3gs.LeaveAck{})
	}
	l.emit(gone)
	l.remove(p)
	l.returnVirtualHost()
	l.unsettle(texts.Of("%s left", p.name))
}

// remove frees a player's slot and pid and tells the others.
func (l *Lobby) remove(p *player) {
	l.vacate(l.slotOf(p.pid))
	l.players[p.pid] = nil
	l.broadcast(l.Humans(), &w3gs.PlayerLeave{PID: p.pid, Reason: w3gs.LeaveLobby})
	if !p.fake {
		l.left, l.leftAt = p.name, l.now
	}
}

// apply ends a lobby that has not started.
func (op Shutdown) apply(l *Lobby) *Refusal {
	if l.phase == phaseCounting {
		l.emit(CountdownAborted{Why: "the lobby closes"})
	}
	l.tell(0, withWhy(op.Why, "The lobby is closed.", "The lobby is closed: %v"))
	for p := range l.seated {
		if p.fake {
			continue
		}
		l.send(p.pid, &w3gs.KickPlayer{Reason: w3gs.LeaveLobby})
		l.emit(Kicked{PID: p.pid, Slot: l.slotOf(p.pid), Name: p.name, Why: "the lobby closed"})
	}
	l.players = [pidLimit]*player{}
	l.phase = phaseClosed
	l.emit(Closed{Why: op.Why.String()})
	return nil
}
