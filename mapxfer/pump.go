package mapxfer

import "time"

// share is what one player gets before the next has his turn, when they share a
// total rate. Round robin over it gives equal rates to all who can take them.
const share = 4 * PartLen

// noBound is more than any bound.
const noBound = 1 << 40

// refill is how much of a rate is waited for at least: fewer and larger writes.
const refill = 5 * time.Millisecond

// pump hands out all parts that may leave now.
func (s *Scheduler) pump(now time.Duration, out []Effect) []Effect {
	if s.running == 0 || s.yield.paused(now) {
		return out
	}
	if !s.shared() {
		for _, p := range s.players {
			out = s.pumpOne(now, p, out)
		}
		return out
	}
	return s.pumpShared(now, out)
}

// pumpOne hands out parts after an event that concerns one player alone.
func (s *Scheduler) pumpOne(now time.Duration, p *player, out []Effect) []Effect {
	switch {
	case p.state != active || s.yield.paused(now):
		return out
	case s.shared() && s.starved:
		return s.pumpShared(now, out)
	}
	// Nobody else waits for the total rate, so all that has come in is for him.
	left := s.left(now)
	_, out = s.serve(now, p, noBound, left, out)
	s.starved = s.shared() && p.open(now, s.cfg.Size)
	return out
}

// pumpShared lets the players take turns at the total rate (deficit round robin).
// The cursor stays where the rate ran out, so that everybody's turn comes.
func (s *Scheduler) pumpShared(now time.Duration, out []Effect) []Effect {
	left := s.left(now)
	s.starved = true
	for passed := 0; passed < len(s.players); {
		s.cursor %= len(s.players)
		p := s.players[s.cursor]
		if p.state != active || !p.open(now, s.cfg.Size) {
			p.deficit = 0
			s.cursor++
			passed++
			continue
		}
		if p.deficit < PartLen {
			p.deficit += share
		}
		if left < PartLen {
			return out
		}
		var sent int64
		sent, out = s.serve(now, p, p.deficit, left, out)
		p.deficit -= sent
		left -= sent
		switch {
		case sent == 0: // his own bounds
			p.deficit = 0
			passed++
			s.cursor++
		case p.deficit < PartLen:
			passed = 0
			s.cursor++
		default:
			passed = 0
		}
	}
	s.starved = false
	return out
}

// left is what the total rates allow now.
func (s *Scheduler) left(now time.Duration) int64 {
	s.total.fill(now)
	s.yield.fill(now)
	return min(s.total.has(), s.yield.bucket.has())
}

func (s *Scheduler) shared() bool { return s.total.rate > 0 || s.yield.bucket.rate > 0 }

// serve hands out parts to one player: no more than his window takes, than turn,
// his share in this round, and than left, what the total rates allow.
func (s *Scheduler) serve(now time.Duration, p *player, turn, left int64, out []Effect) (int64, []Effect) {
	if p.state != active || !p.open(now, s.cfg.Size) {
		return 0, out
	}
	p.bucket.fill(now)
	want := min(p.room(now), turn)
	n := min(want, p.bucket.has(), left)
	end := s.cfg.Size
	if rest := int64(end - p.next); n < rest {
		// Behind a resumed file the first part is short; all others are whole.
		end = uint32((int64(p.next) + n) / PartLen * PartLen)
	}
	if end <= p.next {
		return 0, out
	}
	limited := n < want || end == s.cfg.Size
	n = int64(end - p.next)
	if p.unanswered() == 0 {
		p.moved, p.widened = now, now
	}
	p.win.send(now, int64(partEnd(p.next, end)-p.next), n, limited)
	p.bucket.take(n)
	s.total.take(n)
	s.yield.take(n)
	p.backlog += n
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
	next := s.probe.turn
	for _, p := range s.players {
		if p.state != active {
			continue
		}
		next = min(next, p.deadline(&s.cfg))
		if at, ok := s.refilled(now, p); ok {
			next = min(next, at)
		}
	}
	return max(next, now), true
}

// refilled is when rates let parts go to a player whose window is open.
func (s *Scheduler) refilled(now time.Duration, p *player) (time.Duration, bool) {
	switch {
	case p.next == s.cfg.Size:
		return 0, false
	case !p.open(now, s.cfg.Size):
		// What a 0x45 made useless drains with time, and so does the out queue.
		return now + refill, p.recovering || p.counted && p.backlog > 0
	}
	at := max(now, s.yield.until)
	for _, b := range []*bucket{&p.bucket, &s.total, &s.yield.bucket} {
		chunk := max(min(b.rate/int64(time.Second/refill), p.room(now)), PartLen)
		at = max(at, b.ready(chunk))
	}
	return at, true
}
