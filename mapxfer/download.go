package mapxfer

import "slices"

// request handles a player who has only the first held bytes of the map: it refuses, queues or starts a
// download.
func (s *Scheduler) request(p *player, held uint32) {
	known := p.state == refused
	p.acked = held
	s.showPercent(p)
	switch {
	case !s.mayDownload(p):
		p.state = refused
		if known {
			return
		}
		p.since = s.now
		why := WhyOff
		if s.cfg.Mode == Ask {
			why = WhyAsk
		}
		s.sink.Refused(p.pid, why)
	case p.starts >= maxStarts:
		s.remove(p, WhyRestarts)
	default:
		p.state = waiting
		s.queue = append(s.queue, p.pid)
		if s.full() {
			s.sink.Queued(p.pid, len(s.queue))
			return
		}
		s.admit()
	}
}

// admit starts queued downloads while slots are free.
func (s *Scheduler) admit() {
	for len(s.queue) > 0 && !s.full() {
		p := s.byPID[s.queue[0]]
		s.queue = slices.Delete(s.queue, 0, 1)
		p.begin(s.now, &s.cfg)
		s.start(p)
		s.sink.Begin(p.pid)
	}
	s.pump()
}

// acknowledged processes a player's acknowledgement of the first held bytes.
func (s *Scheduler) acknowledged(p *player, held uint32) {
	switch {
	case held > s.cfg.Size:
		s.remove(p, WhyPastMap)
	case held > p.high:
		s.remove(p, WhyPastSent)
	case held < p.acked && p.acked == p.base:
		// The client cannot resume the partial file that it reported.
		s.ignore(p, WhyBackwards)
		if p.state == active {
			p.base, p.acked = held, held
			p.rewind(s.now)
			s.showPercent(p)
		}
	case held < p.acked:
		s.ignore(p, WhyBackwards)
		return
	case held > p.acked:
		p.progress(s.now, held)
		if held == s.cfg.Size {
			s.finish(p)
			return
		}
		s.showPercent(p)
	}
	s.pump()
}

// rewind sends the parts after the last acknowledged byte again. A client that refuses the first part of a
// resumed download cannot use its partial file, so the download restarts at byte 0.
func (s *Scheduler) rewind(p *player) {
	if p.acked == p.base {
		if p.doubted {
			s.remove(p, WhyDeclined)
			return
		}
		p.doubted = true
		p.base, p.acked = 0, 0
		s.showPercent(p)
	}
	p.rewind(s.now)
	if p.rewinds > maxRewinds || p.resent > resendFactor*uint64(s.cfg.Size)+fixedWindow {
		s.remove(p, WhyResends)
		return
	}
	s.pump()
}

// finish ends a completed download.
func (s *Scheduler) finish(p *player) {
	p.acked = s.cfg.Size
	s.showPercent(p)
	s.stop(p, done, 0)
	s.admit()
}

// ignore counts an invalid packet and removes the player if there are too many.
func (s *Scheduler) ignore(p *player, why Why) {
	p.ignored++
	if p.ignored > maxIgnored {
		s.remove(p, why)
		return
	}
	s.sink.Ignored(p.pid, why)
}

// remove ends a player's download and asks the host to remove the player.
func (s *Scheduler) remove(p *player, why Why) {
	s.unqueue(p.pid)
	s.stop(p, removed, why)
	s.sink.Remove(p.pid, why)
	s.admit()
}

// check applies the timeouts of a running download.
func (s *Scheduler) check(p *player) {
	switch {
	case s.cfg.Timeout > 0 && s.now-p.began >= s.cfg.Timeout:
		s.remove(p, WhyTimeout)
	case s.cfg.Stall > 0 && p.unanswered() > 0 && s.now-p.moved >= s.cfg.Stall:
		s.remove(p, WhyStall)
	case p.doubted && s.now-p.rewindAt >= declineGrace:
		s.remove(p, WhyDeclined)
	case p.repeated && s.now >= p.retryAt:
		s.rewind(p)
	}
}

// start assigns a line to a player: the existing one for the same address, or a new one. All other lines
// shrink for a moment. They may share a bottleneck with the new line, whose shortest round trip must be
// measured without their queues.
func (s *Scheduler) start(p *player) {
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
			q.line.ease(s.now)
		}
	}
	p.line.players++
	p.line.inflight += p.figures.inflight()
}

// stop removes a player from the running downloads.
func (s *Scheduler) stop(p *player, next state, why Why) {
	if p.state == active {
		s.sink.Ended(p.pid, Download{Why: why, Bytes: p.acked - p.base, Resent: p.resent, Took: s.now - p.began})
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

// showPercent reports the player's percentage if it has changed.
func (s *Scheduler) showPercent(p *player) {
	percent := uint8(uint64(p.acked) * 100 / uint64(s.cfg.Size))
	if percent != p.percent {
		p.percent = percent
		s.sink.Percent(p.pid, percent)
	}
}
