package mapxfer

import (
	"slices"
	"time"
)

// Scheduler decides which players of a lobby download the map, and how fast. The caller must call Tick at the
// time that Next returns. A Scheduler is not safe for concurrent use. The parameter now of all methods is the
// time since the lobby opened; it must not decrease.
type Scheduler struct {
	cfg      Config
	sink     Sink
	now      time.Duration // time of the last call
	players  []*player     // in order of their first report
	byPID    [256]*player
	queue    []uint8 // pids waiting for a download, in order of arrival
	running  int     // number of players in state active
	total    bucket
	backoff  lateBackoff
	level    int64         // number of bytes that the most recently served player has received
	lastTick time.Duration // time of the last Tick
}

// unknownPercent is the initial progress of a player. It differs from every real percentage, so that the first
// real one counts as a change and is reported.
const unknownPercent = 255

// New returns a Scheduler for one lobby, whose decisions are passed to sink.
func New(cfg Config, sink Sink) *Scheduler {
	return &Scheduler{cfg: cfg, sink: sink, total: bucket{rate: cfg.TotalRate}}
}

func (s *Scheduler) enter(now time.Duration) { s.now = max(now, s.now) }

// Tick sends what the rate limits now allow, and handles stalled downloads and timeouts.
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

// Allow permits one player to download in every mode, including Ask and Off.
func (s *Scheduler) Allow(now time.Duration, pid uint8) {
	s.enter(now)
	p := s.player(pid)
	p.allowed = true
	if p.state == refused {
		s.request(p, p.acked)
	}
}

// SetMode changes who may download. Running downloads continue.
func (s *Scheduler) SetMode(now time.Duration, mode Mode) {
	s.enter(now)
	s.cfg.Mode = mode
	for _, p := range s.players {
		if p.state == refused && s.mayDownload(p) || p.state == waiting && !s.mayDownload(p) {
			s.unqueue(p.pid)
			s.request(p, p.acked)
		}
	}
}

// Leave removes a player and starts the next queued download.
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

// Measured processes the operating system's measurements of a player's TCP connection. Call it before passing
// on a packet of that player and, for every downloading player, before Tick.
func (s *Scheduler) Measured(now time.Duration, pid uint8, f Figures) {
	s.enter(now)
	p := s.player(pid)
	if f.RTT == 0 && p.figures.RTT > 0 {
		return // no new measurement
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

// Late tells the Scheduler that a turn of a running game was sent late by the duration by. Downloads then slow
// down, because games have priority.
func (s *Scheduler) Late(now, by time.Duration) {
	s.enter(now)
	s.backoff.late(s.now, by)
}

// Downloading returns the number of players who are downloading the map now, without queued players.
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

func (s *Scheduler) mayDownload(p *player) bool { return s.cfg.Mode == On || p.allowed }
