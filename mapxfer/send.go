package mapxfer

import "time"

const (
	// noBound is a value above any limit.
	noBound = 1 << 40
	// lookEvery is the interval for checking measurements, rates and timeouts. The line's queue must last
	// that long.
	lookEvery = 10 * time.Millisecond
)

// pump sends all parts that may be sent now, one at a time to the player who has received the least, so that
// players get equal shares of the total rate or of a line.
func (s *Scheduler) pump() {
	if s.running == 0 || s.now < s.backoff.until {
		return
	}
	s.backoff.measure(s.now)
	var last *player // last is the player whose parts from off on have not been passed to the sink yet
	var off uint32
	for s.total.allows(s.now, PartLen) && s.backoff.bucket.allows(s.now, PartLen) {
		p := s.leastServed()
		if p == nil {
			break
		}
		if p != last {
			s.handOut(last, off)
			last, off = p, p.next
		}
		s.serve(p)
	}
	s.handOut(last, off)
}

// handOut passes a player's parts from off on to the sink.
func (s *Scheduler) handOut(p *player, off uint32) {
	if p != nil {
		s.sink.Parts(p.pid, off, p.next)
	}
}

// leastServed returns the active player with an open window who has received the fewest bytes. A player who
// had to wait catches up later, by at most share bytes.
func (s *Scheduler) leastServed() (p *player) {
	for _, q := range s.players {
		if q.state != active {
			continue
		}
		q.got = max(q.got, s.level-q.share())
		if (p == nil || q.got < p.got) && q.canSend(s.now, &s.cfg) {
			p = q
		}
	}
	if p != nil {
		s.level = max(s.level, p.got)
	}
	return p
}

// serve accounts for one part sent to a player.
func (s *Scheduler) serve(p *player) {
	end := partEnd(p.next, s.cfg.Size)
	n := int64(end - p.next)
	if p.unanswered() == 0 {
		p.moved = s.now
	}
	p.bucket.take(s.now, n)
	s.total.take(s.now, n)
	s.backoff.take(s.now, n)
	p.figures.Queued += int(n)
	p.line.inflight += n
	p.mark(s.now, n)
	p.got += n
	p.next, p.high = end, max(p.high, end)
}

// Next returns when Tick is due, or false if only an event can change anything.
func (s *Scheduler) Next() (time.Duration, bool) {
	at, ok := max(s.lastTick+lookEvery, s.now), s.running > 0
	for _, p := range s.players {
		if due := max(p.since+s.cfg.Wait, s.now); p.state == refused && s.cfg.Wait > 0 && (!ok || due < at) {
			at, ok = due, true
		}
	}
	return at, ok
}
