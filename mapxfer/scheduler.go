package mapxfer

import (
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// Scheduler hands out the map of one lobby. The caller carries the effects out in
// order and calls Tick when Next says so. It belongs to one goroutine.
type Scheduler struct {
	cfg     Config
	now     time.Duration // of the last call
	players []*player     // in order of their first report
	byPID   [256]*player
	queue   []uint8 // waiting players in order of arrival
	running int     // players in state active
	total   bucket
	yield   yield
	level   int64         // what whoever was served last had got
	looked  time.Duration // the last Tick
}

// unknownPercent is a percent that nobody has, so that the first one shows.
const unknownPercent = 255

// New makes the scheduler of a lobby.
func New(cfg Config) *Scheduler {
	return &Scheduler{cfg: cfg, total: bucket{rate: cfg.TotalRate}}
}

func (s *Scheduler) report(now time.Duration, pid uint8, m w3gs.MapSize, out []Effect) []Effect {
	p := s.player(pid)
	switch {
	case p.state == removed:
		return out
	case m.Flag != w3gs.MapHave && m.Flag != w3gs.MapDownloading:
		return s.ignore(now, p, WhyFlag, out)
	case p.state == done && m.Flag == w3gs.MapDownloading:
		return out // older than the last 0x44
	case p.state == active || p.state == declined:
		if m.Flag == w3gs.MapHave && m.Size == s.cfg.Size {
			return s.finish(now, p, out) // the client checked the file
		}
		if m.Size < p.acked && p.acked > p.base {
			return out // older than the last 0x44
		}
		return s.mark(now, p, m.Size, out)
	}
	held := m.Size
	if held > s.cfg.Size {
		// Another file of the same name: what they have is of no use.
		out, held = s.ignore(now, p, WhyPastMap, out), 0
		if p.state == removed {
			return out
		}
	}
	if p.state == waiting && held < s.cfg.Size {
		p.acked = held
		return s.showPercent(p, out)
	}
	if held == s.cfg.Size {
		s.unqueue(pid)
		p.state, p.acked = done, held
		return s.showPercent(p, out)
	}
	return s.request(now, p, held, out)
}

func (s *Scheduler) ack(now time.Duration, pid uint8, m w3gs.MapPartOK, out []Effect) []Effect {
	p := s.player(pid)
	switch {
	case p.state == removed || p.state == done && m.Size <= p.high: // the last ones may come after the final 0x42
		return out
	case p.state == done:
		return s.ignore(now, p, WhyPastSent, out)
	case m.To != pid && m.From != pid:
		return s.ignore(now, p, WhyOtherPlayer, out)
	case p.state != active && p.state != declined:
		return s.ignore(now, p, WhyNotSent, out)
	}
	return s.mark(now, p, m.Size, out)
}

func (s *Scheduler) refuse(now time.Duration, pid uint8, m w3gs.MapPartNotOK, out []Effect) []Effect {
	p := s.player(pid)
	switch {
	case p.state == removed || p.state == done || p.state == declined:
		return out
	case m.To != pid && m.From != pid:
		return s.ignore(now, p, WhyOtherPlayer, out)
	case p.state != active:
		return s.ignore(now, p, WhyNotSent, out)
	case p.recovering && now < p.retryAt:
		// It may be about a part that was on the line before the last 0x45.
		p.again = true
		return out
	}
	return s.rewind(now, p, out)
}

func (s *Scheduler) setMode(now time.Duration, mode Mode, out []Effect) []Effect {
	s.cfg.Mode = mode
	for _, p := range s.players {
		switch {
		case p.state == refused && s.may(p):
			out = s.request(now, p, p.acked, out)
		case p.state == waiting && !s.may(p):
			s.unqueue(p.pid)
			out = s.request(now, p, p.acked, out)
		}
	}
	return out
}

func (s *Scheduler) leave(now time.Duration, pid uint8, out []Effect) []Effect {
	p := s.byPID[pid]
	if p == nil {
		return out
	}
	s.unqueue(pid)
	s.stop(p, removed)
	s.byPID[pid] = nil
	s.players = slices.DeleteFunc(s.players, func(q *player) bool { return q == p })
	return s.admit(now, out)
}

// look takes a player's figures.
func (s *Scheduler) look(now time.Duration, pid uint8, f Figures) {
	p := s.player(pid)
	if f.RTT == 0 && p.figures.RTT > 0 {
		return // the system was not asked
	}
	arrived := p.figures.inflight() - f.inflight()
	p.figures = f
	if p.state != active {
		return
	}
	p.line.inflight -= arrived
	if f.RTT > 0 && arrived > 0 {
		useless := min(arrived, p.useless)
		p.useless -= useless
		p.burst = min(p.burst+arrived-useless, noBound)
		p.line.arrived(now, p.roundTrip(now), f.MinRTT, arrived, int64(s.cfg.MaxWindow)*int64(p.line.players))
	}
}

// Tick does what depends on time alone: rates, stalls and timeouts.
func (s *Scheduler) Tick(now time.Duration, out []Effect) []Effect {
	s.now = max(now, s.now)
	now = s.now
	s.looked = now
	for _, p := range s.players {
		if p.state == active {
			out = s.check(now, p, out)
		}
	}
	return s.pump(now, out)
}

// Downloading is how many players are being sent the map.
func (s *Scheduler) Downloading() int { return s.running }

func (s *Scheduler) player(pid uint8) *player {
	p := s.byPID[pid]
	if p == nil {
		p = &player{pid: pid, percent: unknownPercent}
		s.byPID[pid] = p
		s.players = append(s.players, p)
	}
	return p
}

func (s *Scheduler) may(p *player) bool { return s.cfg.Mode == On || p.allowed }
