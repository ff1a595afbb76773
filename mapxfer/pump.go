package mapxfer

import "time"

const (
	// noBound is more than any bound.
	noBound = 1 << 40
	// lookEvery is the time between two looks at figures, rates and timeouts. What
	// the line carries meanwhile has to wait in its queue.
	lookEvery = 10 * time.Millisecond
)

// pump hands out all parts that may leave now. The players take turns by a part,
// so that they get the same of what they share, the total rate or a line. The
// cursor stays where the rate ran out: everybody's turn comes.
func (s *Scheduler) pump(now time.Duration, out []Effect) []Effect {
	if s.running == 0 || now < s.yield.until {
		return out
	}
	s.total.fill(now)
	s.yield.fill(now)
	left := min(s.total.has(), s.yield.bucket.has()) // as the total rates allow
	for passed := 0; passed < len(s.players) && left >= PartLen; passed++ {
		s.cursor = (s.cursor + 1) % len(s.players)
		p := s.players[s.cursor]
		if !p.open(&s.cfg) {
			continue
		}
		var sent int64
		if sent, out = s.serve(now, p, out); sent > 0 {
			left -= sent
			passed = -1
		}
	}
	return out
}

// serve hands out one part to one player, if their rate allows it.
func (s *Scheduler) serve(now time.Duration, p *player, out []Effect) (int64, []Effect) {
	end := partEnd(p.next, s.cfg.Size)
	n := int64(end - p.next)
	if p.bucket.fill(now); p.bucket.has() < n {
		return 0, out
	}
	if p.unanswered() == 0 {
		p.moved = now
	}
	p.bucket.take(n)
	s.total.take(n)
	s.yield.take(n)
	p.figures.Queued += int(n)
	p.line.inflight += n
	p.mark(now, n)
	if k := len(out) - 1; k >= 0 && out[k].Kind == Send && out[k].PID == p.pid && out[k].End == p.next {
		out[k].End = end
	} else {
		out = append(out, Effect{Kind: Send, PID: p.pid, Offset: p.next, End: end})
	}
	p.next, p.high = end, max(p.high, end)
	return n, out
}

// Next is when Tick is due; false if only an event can bring something about.
func (s *Scheduler) Next() (time.Duration, bool) {
	return max(s.looked+lookEvery, s.now), s.running > 0
}
