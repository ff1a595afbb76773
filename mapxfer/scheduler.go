package mapxfer

import (
	"slices"
	"time"

	"w3host/w3gs"
)

// Scheduler hands out the map of one lobby. Every event takes the time since the
// game began and appends what follows from it, parts included, to out; the host
// carries effects out in order and calls Tick when Next says so. It is not for
// use by more than one goroutine.
type Scheduler struct {
	cfg     Config
	players []*player // in order of their first report
	byPID   [256]*player
	queue   []uint8 // waiting players in order of arrival
	running int     // players in state active
	total   bucket
	yield   yield
	probe   probe
	cursor  int  // whose turn it is when a total rate is shared
	starved bool // the total rate ran out before all had enough
}

// unknownPercent is a percent that nobody has, so that the first one shows.
const unknownPercent = 255

// New makes the scheduler of a lobby. Rates and counts below zero are no bound.
func New(cfg Config) *Scheduler {
	if cfg.MaxWindow <= 0 {
		cfg.MaxWindow = DefaultMaxWindow
	}
	return &Scheduler{cfg: cfg, total: newBucket(cfg.TotalRate, 0)}
}

// Report handles 0x42: what the player holds. Flag 1 says that he holds it, flag 3
// that he goes on with a download; the first report of either kind asks for what
// is missing.
func (s *Scheduler) Report(now time.Duration, pid uint8, m w3gs.MapSize, out []Effect) []Effect {
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
			return s.finish(now, p, out) // he checked the file himself
		}
		if m.Size < p.acked && p.acked > p.base {
			return out // older than the last 0x44
		}
		return s.mark(now, p, m.Size, out)
	}
	held := m.Size
	if held > s.cfg.Size {
		// Another file of the same name: what he has is of no use.
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

// Ack handles 0x44: parts have arrived.
func (s *Scheduler) Ack(now time.Duration, pid uint8, m w3gs.MapPartOK, out []Effect) []Effect {
	p := s.player(pid)
	switch {
	case p.state == removed || p.state == done: // the last ones may come after the final 0x42
		return out
	case m.To != pid && m.From != pid:
		return s.ignore(now, p, WhyOtherPlayer, out)
	case p.state != active && p.state != declined:
		return s.ignore(now, p, WhyNotSent, out)
	}
	return s.mark(now, p, m.Size, out)
}

// Refuse handles 0x45: the client wants parts again, or no download at all. Both
// look the same. Before any part was acknowledged the parts are sent once more;
// if that brings no acknowledgement either, it was a refusal.
func (s *Scheduler) Refuse(now time.Duration, pid uint8, m w3gs.MapPartNotOK, out []Effect) []Effect {
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

// Allow lets one player download in mode Ask, or when downloads are off.
func (s *Scheduler) Allow(now time.Duration, pid uint8, out []Effect) []Effect {
	p := s.player(pid)
	p.allowed = true
	if p.state != refused {
		return out
	}
	return s.request(now, p, p.acked, out)
}

// SetMode changes who may download. Running downloads go on.
func (s *Scheduler) SetMode(now time.Duration, mode Mode, out []Effect) []Effect {
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

// Leave forgets a player; his place goes to the next who waits.
func (s *Scheduler) Leave(now time.Duration, pid uint8, out []Effect) []Effect {
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

// Backlog says how many bytes of this player's parts still wait in the host's out
// queue. It is optional: once called, no more than a tenth of a second of the
// player's speed is let into that queue. Call it before the events of the player.
func (s *Scheduler) Backlog(pid uint8, queued int) {
	if p := s.byPID[pid]; p != nil {
		p.backlog, p.counted = int64(queued), true
	}
}

// Late says that a turn of a running game went out late: transfers make way.
func (s *Scheduler) Late(now, by time.Duration) { s.yield.late(now, by) }

// Tick does what time alone brings about: rates, stalls and timeouts.
func (s *Scheduler) Tick(now time.Duration, out []Effect) []Effect {
	s.probe.tick(now, s.players)
	for _, p := range s.players {
		if p.state == active {
			out = s.check(now, p, out)
		}
	}
	return s.pump(now, out)
}

// Downloading is how many players are being sent the map.
func (s *Scheduler) Downloading() int { return s.running }

// Waiting is how many players wait for a free place.
func (s *Scheduler) Waiting() int { return len(s.queue) }

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
