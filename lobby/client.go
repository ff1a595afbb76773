package lobby

import (
	"cmp"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

const (
	// pingsKept bounds the pings of one player that wait for their answer.
	pingsKept = 8
	// probeEvery is the time between two pings to a player whose round trip is not measured yet.
	probeEvery = time.Second
	// rttKept is how many round trips the median is taken from.
	rttKept = 3
)

type sentPing struct {
	tick uint32
	at   time.Duration
	busy bool // a download was under way, so the answer measures the queue
}

// ping sends the 0x01 that is due. It goes on while the map loads and in the
// game: a client that hears nothing for about a minute leaves.
func (l *Lobby) ping() {
	if l.phase == phaseStarted && l.now < l.pingAt {
		return // as in nearly every turn of a game
	}
	humans := l.Humans()
	switch {
	case l.cfg.Pace.PingEvery <= 0 || humans == 0 || l.phase == phaseClosed:
	case l.now >= l.pingAt:
		l.pingAt = l.now + l.cfg.Pace.PingEvery
		l.sendPing(humans)
	default:
		if to := l.unprobed(l.now); to != 0 {
			l.sendPing(to)
		}
	}
}

// sendPing sends a 0x01 whose tick is the time in milliseconds.
func (l *Lobby) sendPing(to w3gs.PIDs) {
	tick := uint32(l.now.Milliseconds())
	for pid := range to.All() {
		p := l.players[pid]
		p.pings = keep(pingsKept, p.pings, sentPing{tick, l.now, l.downloading(p)})
		p.probeAt = l.now + min(probeEvery, l.cfg.Pace.PingEvery)
	}
	l.broadcast(to, &w3gs.PingFromHost{Tick: tick})
}

// unprobed returns the players whose round trip is not known well enough for a start and
// who are due for a ping of their own by then.
func (l *Lobby) unprobed(by time.Duration) (set w3gs.PIDs) {
	if l.phase >= phaseStarted {
		return 0
	}
	for _, p := range l.players {
		if p != nil && !p.fake && p.probeAt <= by && p.measured < l.cfg.Start.Pings && len(p.pings) < pingsKept && !l.downloading(p) {
			set |= w3gs.Only(p.pid)
		}
	}
	return set
}

// keep appends to a list of the last n.
func keep[T any](n int, list []T, item T) []T {
	return append(list[max(len(list)-n+1, 0):], item)
}

// Pong takes a 0x46 that waited in the kernel between its arrival and now, and measures a round trip. The first 0x46 of a client answers nothing, nor
// does one whose tick was never sent or has been answered. During a download a
// round trip measures the queue and does not count.
func (l *Lobby) Pong(now time.Duration, pid uint8, tick uint32, waited time.Duration) {
	l.begin(now)
	if p := l.human(pid); p != nil {
		l.pong(p, tick, waited)
	}
	l.finish()
}

func (l *Lobby) pong(p *player, tick uint32, waited time.Duration) {
	if tick == w3gs.FirstPongTick {
		return
	}
	for i, ping := range p.pings {
		if ping.tick != tick {
			continue
		}
		p.pings = p.pings[i+1:]
		if ping.busy || l.downloading(p) {
			return
		}
		p.rtts = keep(rttKept, p.rtts, max(l.now-ping.at-waited, 0))
		p.measured++
		// The line is too slow for this lobby beyond doubt.
		if rtt, limit := p.rtt(), l.cfg.Admission.PingLimit; limit > 0 && !p.Exempt && !l.isSpared(p.Join) && len(p.rtts) == rttKept && rtt > limit && l.phase < phaseStarted {
			l.kick(p, Kick{Why: texts.Of("a ping of %d ms is above the limit of %d ms", rtt.Milliseconds(), limit.Milliseconds())})
		}
		return
	}
}

// MapReport takes a 0x42: how much of the map the client holds.
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
		return // the transfer knows better, and the client's report may be old
	case report.Size >= whole:
		report.Size = 0 // another file of that name: nothing of it is of use
	}
	p.needsMap = true
	l.sink.NeedsMap(p.pid, report.Size)
	l.setDownload(p, uint8(uint64(report.Size)*100/max(uint64(whole), 1)))
}

// Progress is how far a download has come; 100 is the whole map.
func (l *Lobby) Progress(now time.Duration, pid, percent uint8) {
	l.begin(now)
	if p := l.human(pid); p != nil {
		l.activeAt = l.now
		l.setDownload(p, percent)
	}
	l.finish()
}

// setDownload sets a player's percent; the table follows with sendTable.
func (l *Lobby) setDownload(p *player, percent uint8) {
	if l.phase < phaseStarted {
		if percent >= 100 && l.slot(p).Download != 100 {
			p.hadMap = l.now
		}
		l.slot(p).Download = min(percent, 100)
	}
}

func (l *Lobby) downloading(p *player) bool { return l.slot(p).Download < 100 }

// MapSender is the pid that sends the map to a player: the virtual host, or
// when that has given way a fake player, the owner, or the first other player.
// It is never the receiver: no client takes a map from itself. One who is alone
// where there is no virtual host gets it from a pid that nobody has.
func (l *Lobby) MapSender(to uint8) uint8 {
	return cmp.Or(l.voice(to), l.freePID(), to%l.cfg.Wire.MaxPID+1)
}
