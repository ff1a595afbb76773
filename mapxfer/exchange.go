package mapxfer

import (
	"slices"
	"time"
)

// request answers a player who lacks bytes of the map beyond held.
func (s *Scheduler) request(now time.Duration, p *player, held uint32, out []Effect) []Effect {
	known := p.state == refused
	p.acked = held
	out = s.showPercent(p, out)
	if !s.may(p) {
		p.state = refused
		if known {
			return out
		}
		why := WhyOff
		if s.cfg.Mode == Ask {
			why = WhyAsk
		}
		return append(out, Effect{Kind: Refused, PID: p.pid, Why: why})
	}
	if p.starts >= maxStarts {
		return s.remove(now, p, Cheat, WhyRestarts, out)
	}
	p.state = waiting
	s.queue = append(s.queue, p.pid)
	if s.full() {
		return append(out, Effect{Kind: Waiting, PID: p.pid, Place: len(s.queue)})
	}
	return s.admit(now, out)
}

// admit starts downloads as long as there are places.
func (s *Scheduler) admit(now time.Duration, out []Effect) []Effect {
	for len(s.queue) > 0 && !s.full() {
		p := s.byPID[s.queue[0]]
		s.queue = slices.Delete(s.queue, 0, 1)
		p.begin(now, &s.cfg)
		s.start(now, p)
		out = append(out, Effect{Kind: Begin, PID: p.pid})
	}
	return s.pump(now, out)
}

// mark handles a player's claim to hold the first held bytes.
func (s *Scheduler) mark(now time.Duration, p *player, held uint32, out []Effect) []Effect {
	switch {
	case held > s.cfg.Size:
		return s.remove(now, p, Cheat, WhyPastMap, out)
	case held > p.high:
		return s.remove(now, p, Cheat, WhyPastSent, out)
	case held < p.acked && p.acked == p.base && p.state == active:
		// The client cannot resume the file that it reported.
		out = s.ignore(now, p, WhyBackwards, out)
		if p.state == active {
			p.base, p.acked = held, held
			p.rewind(now)
			out = s.showPercent(p, out)
		}
	case held < p.acked:
		return s.ignore(now, p, WhyBackwards, out)
	case held > p.acked:
		if p.state == declined {
			p.state = active
			s.start(now, p)
		}
		p.progress(now, held)
		if held == s.cfg.Size {
			return s.finish(now, p, out)
		}
		out = s.showPercent(p, out)
	}
	return s.pump(now, out)
}

// rewind sends the parts behind the acknowledged mark again. A client that refuses
// the first part of a resumed download cannot use what it holds: the download
// begins at byte 0.
func (s *Scheduler) rewind(now time.Duration, p *player, out []Effect) []Effect {
	if p.acked == p.base {
		if p.doubted {
			return s.decline(now, p, out)
		}
		p.doubted = true
		p.base, p.acked = 0, 0
		out = s.showPercent(p, out)
	}
	p.rewind(now)
	if p.rewinds > maxRewinds || p.resent > resendFactor*uint64(s.cfg.Size)+fixedWindow {
		return s.remove(now, p, Cheat, WhyResends, out)
	}
	return s.pump(now, out)
}

// decline ends the download of a client that does not want it. Should it
// acknowledge parts after all, it goes on.
func (s *Scheduler) decline(now time.Duration, p *player, out []Effect) []Effect {
	s.stop(p, declined)
	out = append(out, Effect{Kind: Refused, PID: p.pid, Why: WhyDeclined})
	return s.admit(now, out)
}

// finish ends a download that brought the whole map.
func (s *Scheduler) finish(now time.Duration, p *player, out []Effect) []Effect {
	p.acked = s.cfg.Size
	out = s.showPercent(p, out)
	out = append(out, Effect{Kind: Done, PID: p.pid, Bytes: p.acked - p.base, Resent: p.resent, Took: now - p.began})
	s.stop(p, done)
	return s.admit(now, out)
}

// ignore counts an invalid packet; too many of them remove the player.
func (s *Scheduler) ignore(now time.Duration, p *player, why Why, out []Effect) []Effect {
	p.ignored++
	if p.ignored > maxIgnored {
		return s.remove(now, p, Cheat, why, out)
	}
	return append(out, Effect{Kind: Ignored, PID: p.pid, Why: why})
}

// remove ends a player's download and has the host remove them.
func (s *Scheduler) remove(now time.Duration, p *player, kind Kind, why Why, out []Effect) []Effect {
	s.unqueue(p.pid)
	s.stop(p, removed)
	return s.admit(now, append(out, Effect{Kind: kind, PID: p.pid, Why: why}))
}

// check applies one download's timeouts.
func (s *Scheduler) check(now time.Duration, p *player, out []Effect) []Effect {
	switch {
	case s.cfg.Timeout > 0 && now-p.began >= s.cfg.Timeout:
		return s.remove(now, p, TooSlow, WhyTimeout, out)
	case s.cfg.Stall > 0 && p.unanswered() > 0 && now-p.moved >= s.cfg.Stall:
		return s.remove(now, p, TooSlow, WhyStall, out)
	case p.doubted && now-p.rewindAt >= declineGrace:
		return s.decline(now, p, out)
	case p.again && now >= p.retryAt:
		return s.rewind(now, p, out)
	}
	return out
}

// start gives a player a line: that of another one with the same address, or a new
// one. All other lines shrink for a moment: some may have a bottleneck in common
// with the new one, whose shortest round trip must not include their queue.
func (s *Scheduler) start(now time.Duration, p *player) {
	s.running++
	for _, q := range s.players {
		if q.line != nil && q.figures.Addr.IsValid() && q.figures.Addr == p.figures.Addr {
			p.line = q.line
		}
	}
	if p.line == nil {
		p.line = &line{size: firstWindow, slow: true}
	}
	for _, q := range s.players {
		if q.line != nil && q.line != p.line {
			q.line.ease(now)
		}
	}
	p.line.players++
	p.line.inflight += p.figures.inflight()
}

// stop takes a player out of the running downloads.
func (s *Scheduler) stop(p *player, next state) {
	if p.state == active {
		s.running--
		p.line.players--
		p.line.inflight -= p.figures.inflight()
		p.line = nil
	}
	p.state = next
}

func (s *Scheduler) unqueue(pid uint8) {
	s.queue = slices.DeleteFunc(s.queue, func(q uint8) bool { return q == pid })
}

func (s *Scheduler) full() bool {
	return s.cfg.MaxDownloaders > 0 && s.running >= s.cfg.MaxDownloaders
}

// showPercent tells the lobby when the player's percent has changed.
func (s *Scheduler) showPercent(p *player, out []Effect) []Effect {
	percent := uint8(uint64(p.acked) * 100 / uint64(s.cfg.Size))
	if percent == p.percent {
		return out
	}
	p.percent = percent
	return append(out, Effect{Kind: Percent, PID: p.pid, Percent: percent})
}
