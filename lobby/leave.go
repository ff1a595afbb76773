package lobby

import "w3host/w3gs"

// leave takes a player off who went by himself.
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
	l.abort(p.name + " left")
}

// kick puts a human or fake player out.
func (l *Lobby) kick(p *player, why string) {
	l.dismiss(p, why)
	l.returnVirtualHost()
	if p.fake {
		return
	}
	l.abort(p.name + " was kicked")
	if why != "" {
		l.say(l.Humans(), p.name+" was kicked: "+why)
	}
}

// dismiss tells a player that he is out, and the others. He gets a 0x1C before
// the host closes. Older hosts only close, which clients take as well, but then
// he reads that the connection broke.
func (l *Lobby) dismiss(p *player, why string) {
	if !p.fake {
		l.send(p.pid, &w3gs.KickPlayer{Reason: w3gs.LeaveLobby})
		l.emit(Kicked{PID: p.pid, Slot: l.slotOf(p.pid), Name: p.name, Why: why})
	}
	l.remove(p)
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

// shutdown ends a lobby that has not started.
func (l *Lobby) shutdown(op Shutdown) {
	if l.phase == phaseCounting {
		l.emit(CountdownAborted{Why: "the lobby closes"})
	}
	line := "The lobby is closed."
	if op.Why != "" {
		line = "The lobby is closed: " + op.Why
	}
	l.say(l.Humans(), line)
	for p := range l.seated {
		if p.fake {
			continue
		}
		l.send(p.pid, &w3gs.KickPlayer{Reason: w3gs.LeaveLobby})
		l.emit(Kicked{PID: p.pid, Slot: l.slotOf(p.pid), Name: p.name, Why: op.Why})
	}
	l.players = [pidLimit]*player{}
	l.phase = phaseClosed
	l.emit(Closed(op))
}
