package mapxfer

import "time"

const (
	// noBound is more than any bound.
	noBound = 1 << 40
	// never is after everything.
	never = time.Duration(1<<63 - 1)
	// refill is how much of a rate is waited for at least: fewer and larger writes.
	refill = 5 * time.Millisecond
	// lookEvery is the time between two looks at the players' figures. What the line
	// carries meanwhile has to wait in its queue.
	lookEvery = 10 * time.Millisecond
)

// pump hands out all parts that may leave now. The players take turns by a part,
// so that they get the same of what they share, the total rate or a line. The
// cursor stays where the rate ran out: everybody's turn comes.
func (s *Scheduler) pump(now time.Duration, out []Effect) []Effect {
	if s.running == 0 || s.yield.paused(now) {
		return out
	}
	left := s.left(now)
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

// left is what the total rates allow now.
func (s *Scheduler) left(now time.Duration) int64 {
	s.total.fill(now)
	s.yield.fill(now)
	return min(s.total.has(), s.yield.bucket.has())
}

// serve hands out one part to one player, if his rate allows it.
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
	out = appendSend(out, p.pid, p.next, end)
	p.next, p.high = end, max(p.high, end)
	return n, out
}

// appendSend lengthens the last effect if it sends to the same player.
func appendSend(out []Effect, pid uint8, from, end uint32) []Effect {
	if len(out) > 0 {
		if last := &out[len(out)-1]; last.Kind == Send && last.PID == pid && last.End == from {
			last.End = end
			return out
		}
	}
	return append(out, Effect{Kind: Send, PID: pid, Offset: from, End: end})
}

// Next is when Tick is due; false if only an event can bring something about.
func (s *Scheduler) Next() (time.Duration, bool) {
	now := s.now
	if s.running == 0 {
		return 0, false
	}
	next := never
	for _, p := range s.players {
		if p.state == active {
			next = min(next, p.deadline(&s.cfg), s.wanted(now, p))
		}
	}
	return max(next, now), next < never
}

// wanted is when parts can go to a player: when rates let them, or there may be
// room, which only a look at his figures tells.
func (s *Scheduler) wanted(now time.Duration, p *player) time.Duration {
	if !p.open(&s.cfg) {
		if p.next == s.cfg.Size || p.figures.RTT == 0 {
			return never
		}
		return s.looked + lookEvery
	}
	at := max(now, s.yield.until)
	for _, b := range []*bucket{&p.bucket, &s.total, &s.yield.bucket} {
		chunk := max(min(b.rate/int64(time.Second/refill), p.room(&s.cfg)), PartLen)
		at = max(at, b.ready(chunk))
	}
	return at
}
