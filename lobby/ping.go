package lobby

import (
	"time"

	"w3host/texts"
	"w3host/w3gs"
)

const (
	// pingsKept bounds the pings of one player that wait for their answer.
	pingsKept = 8
	// rttKept is how many round trips the median is taken from.
	rttKept = 3
)

type sentPing struct {
	tick uint32
	at   time.Duration
	busy bool // a download was under way, so the answer measures the queue
}

// ping sends the 0x01 that is due. It goes on while the map loads and in the
// game: a client that hears nothing for about a minute leaves. The tick is the
// time in milliseconds.
func (l *Lobby) ping() {
	humans := l.Humans()
	if l.cfg.PingEvery <= 0 || humans == 0 || l.now < l.pingAt || l.phase == phaseClosed {
		return
	}
	l.pingAt = l.now + l.cfg.PingEvery
	tick := uint32(l.now.Milliseconds())
	for pid := range humans.All() {
		p := l.players[pid]
		p.pings = keep(pingsKept, p.pings, sentPing{tick, l.now, l.downloading(p)})
	}
	l.broadcast(humans, &w3gs.PingFromHost{Tick: tick})
}

// keep appends to a list of the last n.
func keep[T any](n int, list []T, item T) []T {
	return append(list[max(len(list)-n+1, 0):], item)
}

// pong measures a round trip. The first 0x46 of a client answers nothing, nor
// does one whose tick was never sent or has been answered; and one that shared
// the line with a download says nothing about the line. The time it waited to be
// read is not part of the round trip.
func (l *Lobby) pong(p *player, ev Pong) {
	if ev.Tick == w3gs.FirstPongTick {
		return
	}
	for i, ping := range p.pings {
		if ping.tick != ev.Tick {
			continue
		}
		p.pings = p.pings[i+1:]
		if ping.busy || l.downloading(p) {
			return
		}
		p.rtts = keep(rttKept, p.rtts, max(l.now-ping.at-ev.Waited, 0))
		p.measured++
		l.limitPing(p)
		return
	}
}

// limitPing puts a player out whose line is too slow for this lobby, once that is
// known for certain.
func (l *Lobby) limitPing(p *player) {
	if limit := l.cfg.PingLimit; limit > 0 && len(p.rtts) == rttKept && p.rtt() > limit && l.phase < phaseStarted {
		l.kick(p, Kick{PID: p.pid, Why: texts.Of("a ping of %d ms is above the limit of %d", p.rtt().Milliseconds(), limit.Milliseconds())})
	}
}
