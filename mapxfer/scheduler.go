package mapxfer

import (
	"time"
)

// Scheduler hands out the map of one lobby. The caller carries the effects out in
// order and calls Tick when Next says so. It belongs to one goroutine.
type Scheduler struct {
	cfg      Config
	now      time.Duration // of the last call
	out      []Effect      // of this call
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
func New(cfg Config) *Scheduler {
	return &Scheduler{cfg: cfg, total: bucket{rate: cfg.TotalRate}}
}

// Handle takes one event and appends what follows from it to out.
func (s *Scheduler) Handle(now time.Duration, ev Event, out []Effect) []Effect {
	s.now, s.out = max(now, s.now), out
	ev.apply(s)
	return s.out
}

// Tick does the work that depends on time alone: rates, stalls and timeouts.
func (s *Scheduler) Tick(now time.Duration, out []Effect) []Effect {
	s.now, s.out = max(now, s.now), out
	s.lastTick = s.now
	for _, p := range s.players {
		switch {
		case p.state == active:
			s.check(p)
		case p.state == refused && s.cfg.Wait > 0 && s.now >= p.since+s.cfg.Wait:
			s.remove(p, Refused, WhyWaited)
		}
	}
	s.pump()
	return s.out
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

func (s *Scheduler) emit(e Effect) { s.out = append(s.out, e) }

func (s *Scheduler) may(p *player) bool { return s.cfg.Mode == On || p.allowed }
