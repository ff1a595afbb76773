package mapxfer

import "time"

const (
	// noBound is more than any bound.
	noBound = 1 << 40
	// lookEvery is the time between two looks at figures, rates and timeouts. The
	// line's queue has to last that long.
	lookEvery = 10 * time.Millisecond
)

// pump hands out all parts that may leave now, part by part, each to whoever has
// got least. So players get the same of what they share, the total rate or a line.
func (s *Scheduler) pump(now time.Duration, out []Effect) []Effect {
	if s.running == 0 || now < s.yield.until {
		return out
	}
	s.yield.measure(now)
	for s.total.allows(now, PartLen) && s.yield.bucket.allows(now, PartLen) {
		p := s.leastServed(now)
		if p == nil {
			break
		}
		out = s.serve(now, p, out)
	}
	return out
}

// leastServed returns the active player with the fewest bytes sent whose window is open.
// A player who had to wait catches up later, by at most share bytes.
func (s *Scheduler) leastServed(now time.Duration) (p *player) {
	for _, q := range s.players {
		if q.state != active {
			continue
		}
		q.got = max(q.got, s.level-q.share())
		if (p == nil || q.got < p.got) && q.open(now, &s.cfg) {
			p = q
		}
	}
	if p != nil {
		s.level = max(s.level, p.got)
	}
	return p
}

// serve hands out one part to one player.
func (s *Scheduler) serve(now time.Duration, p *player, out []Effect) []Effect {
	end := partEnd(p.next, s.cfg.Size)
	n := int64(end - p.next)
	if p.unanswered() == 0 {
		p.moved = now
	}
	p.bucket.take(now, n)
	s.total.take(now, n)
	s.yield.take(now, n)
	p.figures.Queued += int(n)
	p.line.inflight += n
	p.mark(now, n)
	if k := len(out) - 1; k >= 0 && out[k].Kind == Send && out[k].PID == p.pid && out[k].End == p.next {
		out[k].End = end
	} else {
		out = append(out, Effect{Kind: Send, PID: p.pid, Offset: p.next, End: end})
	}
	p.got += n
	p.next, p.high = end, max(p.high, end)
	return out
}

// Next is when Tick is due; false if only an event can change anything.
func (s *Scheduler) Next() (time.Duration, bool) {
	return max(s.looked+lookEvery, s.now), s.running > 0
}
