package lobby

import "w3host/w3gs"

// mapReport takes a 0x42: whether the client has the map, or how far it is.
func (l *Lobby) mapReport(p *player, report w3gs.MapSize) {
	if l.phase >= phaseStarted {
		return
	}
	whole := l.cfg.MapCheck.Size
	switch {
	case report.Flag != w3gs.MapHave && report.Flag != w3gs.MapDownloading:
		return
	case report.Size == whole && report.Flag == w3gs.MapHave:
		l.progress(p, 100)
		return
	case report.Size >= whole && p.asked:
		return // the transfer knows better
	case report.Size >= whole:
		report.Size = 0 // another file of that name: nothing of it is of use
	}
	if !p.asked {
		p.asked = true
		l.emit(NeedsMap{PID: p.pid, Have: report.Size})
	}
	l.progress(p, uint8(uint64(report.Size)*100/max(uint64(whole), 1)))
}

// progress sets a player's percent; the table follows with sendTable.
func (l *Lobby) progress(p *player, percent uint8) {
	if l.phase >= phaseStarted {
		return
	}
	l.slots[l.slotOf(p.pid)].Download = min(percent, 100)
}

func (l *Lobby) downloading(p *player) bool { return l.slots[l.slotOf(p.pid)].Download < 100 }
