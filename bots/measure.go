package bots

import (
	"sync/atomic"
	"time"
)

// recorder holds the measurements of all games of a run.
type recorder struct {
	open     atomic.Bool // whether the measured window is open
	interval histogram   // time between two turns
	jitter   histogram   // |interval − increment|
	late     histogram   // delay behind the schedule set by the earliest turn so far
	delay    histogram   // from sending an own action to seeing it in a turn
	chat     histogram   // from one bot saying a line to another hearing it
	outage   histogram   // from killing the host to the next turn
	own      histogram   // lateness of the bots: alarms and reads

	missed                atomic.Int64 // missed turns
	earlyTurns, earlyMiss atomic.Int64 // before the window opened
}

// figures summarises the measurements.
func (r *recorder) figures() Figures {
	f := Figures{
		MissedTurns: r.missed.Load(), EarlyTurns: r.earlyTurns.Load(), EarlyMissedTurns: r.earlyMiss.Load(),
		Interval: r.interval.summary(), Jitter: r.jitter.summary(), Late: r.late.summary(),
		ActionDelay: r.delay.summary(), ChatDelay: r.chat.summary(), OwnLate: r.own.summary(),
		Outage: r.outage.summary(),
	}
	f.Turns = f.Interval.Count
	return f
}

// measured reports whether the bot's values are recorded now.
func (p *player) measured() bool {
	return p.g.run.rec.open.Load() && !p.conduct.misbehaves()
}

// underWay is how long after a kill of the host a turn may still arrive that was sent before it.
const underWay = 5 * time.Millisecond

// outlive records the time from the last kill of the host to the first turn after it.
func (p *player) outlive(now time.Duration) {
	at := time.Duration(p.g.run.killed.Load())
	if at > p.outlived && now-at > underWay {
		p.outlived = at
		p.g.run.wentOn.Store(int64(at))
		p.g.run.rec.outage.add(now - at)
	}
}

// measure records a counted turn. The interval since the previous turn should equal the increment; it is not measured
// across a lag screen or a stall of the bot. An interval longer than 1.5 increments counts as floor(interval/increment −
// 0.5) missed turns.
func (p *player) measure(now, increment time.Duration) {
	last := p.lastTurn
	p.lastTurn = now
	p.gameTime += increment
	p.outlive(now)
	offset := now - p.gameTime
	if last == 0 {
		p.anchor = offset
		return
	}
	interval := now - last
	missed := int64((2*interval - increment) / (2 * increment))
	p.anchor = min(p.anchor, offset)
	late := offset - p.anchor
	if missed > 0 {
		p.anchor = offset // a new schedule: the host need not make up for lost turns
	}
	p.report.MissedTurns += int(missed)
	p.report.MaxInterval = max(p.report.MaxInterval, interval)
	if p.conduct.misbehaves() {
		return
	}
	rec := &p.g.run.rec
	if !rec.open.Load() {
		rec.earlyTurns.Add(1)
		rec.earlyMiss.Add(missed)
		return
	}
	rec.missed.Add(missed)
	rec.interval.add(interval)
	rec.jitter.add((interval - increment).Abs())
	rec.late.add(late)
	if interval > p.worst.Interval {
		p.worst = Worst{Game: p.g.number, Player: p.name, Turn: p.turn, Interval: interval}
	}
}
