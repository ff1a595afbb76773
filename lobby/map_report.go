package lobby

import (
	"cmp"
	"time"

	"w3host/protocol/w3gs"
)

// MapReport handles a 0x42, in which a client reports how much of the map it has.
func (l *Lobby) MapReport(now time.Duration, pid uint8, report w3gs.MapSize) {
	l.begin(now)
	if p := l.human(pid); p != nil {
		l.mapReport(p, report)
	}
	l.finish()
}

func (l *Lobby) mapReport(p *player, report w3gs.MapSize) {
	if l.phase >= phaseStarted {
		return
	}
	whole := l.cfg.MapCheck.Size
	switch {
	case report.Flag != w3gs.MapHave && report.Flag != w3gs.MapDownloading:
		return
	case report.Size == whole && report.Flag == w3gs.MapHave:
		l.setDownload(p, 100)
		return
	case p.needsMap:
		return // the transfer tracks progress; this report may be outdated
	case report.Size >= whole:
		report.Size = 0 // another file with this name, from which nothing can be reused
	}
	p.needsMap = true
	l.sink.NeedsMap(p.pid, report.Size)
	l.setDownload(p, uint8(uint64(report.Size)*100/max(uint64(whole), 1)))
}

// Progress reports the progress of a download in percent; 100 means that the client has the whole map.
func (l *Lobby) Progress(now time.Duration, pid, percent uint8) {
	l.begin(now)
	if p := l.human(pid); p != nil {
		l.activeAt = l.now
		l.setDownload(p, percent)
	}
	l.finish()
}

// setDownload sets a player's percentage. sendTable sends it to the clients later.
func (l *Lobby) setDownload(p *player, percent uint8) {
	if l.phase < phaseStarted {
		if percent >= 100 && l.slot(p).Download != 100 {
			p.hadMap = l.now
		}
		l.slot(p).Download = min(percent, 100)
	}
}

func (l *Lobby) downloading(p *player) bool { return l.slot(p).Download < 100 }

// MapSender returns the pid from which a player receives the map: the virtual host, otherwise a fake player, the owner
// or another player, and if there is none an unused pid. It is never the receiver, because clients do not accept a map
// from themselves.
func (l *Lobby) MapSender(to uint8) uint8 {
	return cmp.Or(l.voice(to), l.freePID(), to%l.cfg.Wire.MaxPID+1)
}
