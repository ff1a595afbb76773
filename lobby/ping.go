package lobby

import (
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

const (
	// pingsKept is the maximum number of unanswered pings of one player.
	pingsKept = 8
	// probeEvery is the interval of pings to a player whose round trip is not measured yet.
	probeEvery = time.Second
	// rttKept is the number of round trips of which the median is taken.
	rttKept = 3
)

type sentPing struct {
	tick uint32
	at   time.Duration
	busy bool // a download is running, so the answer would measure its queue
}

// ping sends 0x01 to all players when it is due. It continues during loading and in the game, because clients leave if
// they receive nothing for about a minute.
func (l *Lobby) ping() {
	if l.phase == phaseStarted && l.now < l.pingAt {
		return // fast path for nearly every turn of a game
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

// sendPing sends 0x01 with the current time in milliseconds as tick.
func (l *Lobby) sendPing(to w3gs.PIDs) {
	tick := uint32(l.now.Milliseconds())
	for pid := range to.All() {
		p := l.players[pid]
		p.pings = keep(pingsKept, p.pings, sentPing{tick, l.now, l.downloading(p)})
		p.probeAt = l.now + min(probeEvery, l.cfg.Pace.PingEvery)
	}
	l.broadcast(to, &w3gs.PingFromHost{Tick: tick})
}

// unprobed returns the players who need more round-trip measurements before the start and who are due for a ping at time
// by.
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

// keep appends item to list and keeps only the last n items.
func keep[T any](n int, list []T, item T) []T {
	return append(list[max(len(list)-n+1, 0):], item)
}

// Pong handles a 0x46, the answer to a ping, and measures the round trip. waited is how long the packet was in the
// kernel's buffer before it was read. The first 0x46 of a client answers no ping. Answers with an unknown or already
// answered tick are ignored, as are those during a download, which would measure its queue.
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
		// A median of rttKept measurements above the limit: remove the player.
		if rtt, limit := p.rtt(), l.cfg.Admission.PingLimit; limit > 0 && !p.Exempt && !l.isSpared(p.Join) && len(p.rtts) == rttKept && rtt > limit && l.phase < phaseStarted {
			l.kick(p, Kick{Why: texts.Of("a ping of %d ms is above the limit of %d ms", rtt.Milliseconds(), limit.Milliseconds())})
		}
		return
	}
}
