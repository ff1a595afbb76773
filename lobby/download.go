package lobby

import (
	"cmp"
	"time"

	"w3host/w3gs"
)

// mapReport takes a 0x42: whether the client has the map, or how far it is.
func (l *Lobby) mapReport(p *player, ev MapReport) {
	report := ev.Report
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
	case p.asked:
		return // the transfer knows better, and what the client says may be old
	case report.Size >= whole:
		report.Size = 0 // another file of that name: nothing of it is of use
	}
	p.asked = true
	l.emit(NeedsMap{PID: p.pid, Have: report.Size})
	l.setDownload(p, uint8(uint64(report.Size)*100/max(uint64(whole), 1)))
}

func (l *Lobby) progress(p *player, ev Progress) {
	l.activeAt = l.now
	l.setDownload(p, ev.Percent)
}

// setDownload sets a player's percent; the table follows with sendTable.
func (l *Lobby) setDownload(p *player, percent uint8) {
	if l.phase < phaseStarted {
		l.slot(p).Download = min(percent, 100)
	}
}

func (l *Lobby) downloading(p *player) bool { return l.slot(p).Download < 100 }

// MapSender is the pid that sends the map to a player: the virtual host, or
// when that has given way a fake player, the owner, or the first other player.
// It is never the receiver: no client takes a map from itself. One who is alone
// where there is no virtual host gets it from a pid that nobody has.
func (l *Lobby) MapSender(to uint8) uint8 { return cmp.Or(l.voice(to), l.freePID()) }

// Bounds of what is relayed of 0x59. Real clients send four or five in a lobby,
// of up to 70 bytes; whatever is beyond the bounds is dropped.
const (
	maxExtraLen = 1024
	maxExtras   = 20 // within extraWindow
	extraWindow = 5 * time.Second
)

// extra relays a 0x59 to all, its sender included: the clients of 1.32 that host
// do so, and their guests wait for it.
func (l *Lobby) extra(p *player, ev Extra) {
	if l.cfg.RelayExtra && len(ev.Packet.Body) <= maxExtraLen && p.extras.room(l.now, extraWindow, maxExtras) {
		l.broadcast(l.Humans(), ev.Packet)
	}
}
