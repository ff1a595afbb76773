package mapxfer

import (
	"slices"
	"time"
)

// Scheduler hands out the map of one lobby. The caller calls Tick when Next says so.
// It belongs to one goroutine. Its methods take the time since the lobby opened, which
// never goes back.
type Scheduler struct {
	cfg      Config
	sink     Sink
	now      time.Duration // of the last call
	players  []*player     // in order of their first report
	byPID    [256]*player
	queue    []uint8 // waiting players in order of arrival
	running  int     // players in state active
	total    bucket
	yield    yield
	level    int64         // what the player who was served last had got
	lastTick time.Duration // the last Tick
}

// unknownPercent is a percent that nobody has, so that the first one shows.
const unknownPercent = 255

// New makes the scheduler of a lobby.
func New(cfg Config, sink Sink) *Scheduler {
	return &Scheduler{cfg: cfg, sink: sink, total: bucket{rate: cfg.TotalRate}}
}

func (s *Scheduler) enter(now time.Duration) { s.now = max(now, s.now) }

// Tick does the work that depends on time alone: rates, stalls and timeouts.
func (s *Scheduler) Tick(now time.Duration) {
	s.enter(now)
	s.lastTick = s.now
	for _, p := range s.players {
		switch {
		case p.state == active:
			s.check(p)
		case p.state == refused && s.cfg.Wait > 0 && s.now >= p.since+s.cfg.Wait:
			s.remove(p, WhyWaited)
		}
	}
	s.pump()
}

// Allow lets one player download in mode Ask, or when downloads are off.
func (s *Scheduler) Allow(now time.Duration, pid uint8) {
	s.enter(now)
	p := s.player(pid)
	p.allowed = true
	if p.state == refused {
		s.request(p, p.acked)
	}
}

// SetMode changes who may download. Running downloads go on.
func (s *Scheduler) SetMode(now time.Duration, mode Mode) {
	s.enter(now)
	s.cfg.Mode = mode
	for _, p := range s.players {
		if p.state == refused && s.may(p) || p.state == waiting && !s.may(p) {
			s.unqueue(p.pid)
			s.request(p, p.acked)
		}
	}
}

// Leave says that a player is gone; the place goes to the next player who waits.
func (s *Scheduler) Leave(now time.Duration, pid uint8) {
	s.enter(now)
	if p := s.byPID[pid]; p != nil {
		s.unqueue(pid)
		s.stop(p, removed, WhyLeft)
		s.byPID[pid] = nil
		s.players = slices.DeleteFunc(s.players, func(q *player) bool { return q == p })
		s.admit()
	}
}

// Measured takes the figures of the system about a player's connection. It comes before
// the player's packets and, for all who download, before Tick.
func (s *Scheduler) Measured(now time.Duration, pid uint8, f Figures) {
	s.enter(now)
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
		p.line.arrived(s.now, p.roundTrip(s.now), f.MinRTT, arrived, int64(s.cfg.MaxWindow)*int64(p.line.players))
	}
}

// Late says that a turn of a running game went out late by so much: transfers make
// way.
func (s *Scheduler) Late(now, by time.Duration) {
	s.enter(now)
	s.yield.late(s.now, by)
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
