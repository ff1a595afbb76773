package mapxfer

import (
	"slices"
	"time"

	"w3host/protocol/w3gs"
)

// Event is something that happened.
type Event interface{ apply(s *Scheduler) }

type (
	// Report is a 0x42: what the player holds. Flag 1 says that the player holds it,
	// flag 3 that a download goes on; the first report of either kind asks for
	// the missing part.
	Report struct {
		PID    uint8
		Packet w3gs.MapSize
	}

	// Ack is a 0x44: parts have arrived.
	Ack struct {
		PID    uint8
		Packet w3gs.MapPartOK
	}

	// Refuse is a 0x45: the client wants parts again, or no download at all. Both
	// look the same. Before any part was acknowledged the parts are sent once more;
	// if that brings no acknowledgement either, it was a refusal.
	Refuse struct {
		PID    uint8
		Packet w3gs.MapPartNotOK
	}

	// Allow lets one player download in mode Ask, or when downloads are off.
	Allow struct{ PID uint8 }

	// SetMode changes who may download. Running downloads go on.
	SetMode struct{ Mode Mode }

	// Leave says that a player is gone; the place goes to the next player who waits.
	Leave struct{ PID uint8 }

	// Measured reports the figures of the system about a player's connection. It comes before
	// the player's events and, for all who download, before Tick.
	Measured struct {
		PID     uint8
		Figures Figures
	}

	// Late says that a turn of a running game went out By too late: transfers make
	// way.
	Late struct{ By time.Duration }
)

func (e Report) apply(s *Scheduler) {
	p, held := s.player(e.PID), e.Packet.Size
	switch {
	case p.state == removed:
	case e.Packet.Flag != w3gs.MapHave && e.Packet.Flag != w3gs.MapDownloading:
		s.ignore(p, WhyFlag)
	case p.state == done && e.Packet.Flag == w3gs.MapDownloading: // older than the last 0x44
	case p.state == active:
		if e.Packet.Flag == w3gs.MapHave && held == s.cfg.Size {
			s.finish(p) // the client checked the file
		} else if held >= p.acked || p.acked == p.base { // else it is older than the last 0x44
			s.mark(p, held)
		}
	default:
		s.hold(p, held)
	}
}

// hold takes the length that a player without a download holds, and starts one for the rest.
func (s *Scheduler) hold(p *player, held uint32) {
	if held > s.cfg.Size { // another file of the same name: their part is of no use
		held = 0
		if s.ignore(p, WhyPastMap); p.state == removed {
			return
		}
	}
	switch {
	case held == s.cfg.Size:
		s.unqueue(p.pid)
		p.state = done
	case p.state != waiting:
		s.request(p, held)
		return
	}
	p.acked = held
	s.showPercent(p)
}

func (e Ack) apply(s *Scheduler) {
	p, m := s.player(e.PID), e.Packet
	switch {
	case p.state == removed || p.state == done && m.Size <= p.high: // the last ones may come after the final 0x42
	case p.state == done:
		s.ignore(p, WhyPastSent)
	case m.To != p.pid && m.From != p.pid:
		s.ignore(p, WhyOtherPlayer)
	case p.state != active:
		s.ignore(p, WhyNotSent)
	default:
		s.mark(p, m.Size)
	}
}

func (e Refuse) apply(s *Scheduler) {
	p, m := s.player(e.PID), e.Packet
	switch {
	case p.state == removed || p.state == done:
	case m.To != p.pid && m.From != p.pid:
		s.ignore(p, WhyOtherPlayer)
	case p.state != active:
		s.ignore(p, WhyNotSent)
	case p.recovering && s.now < p.retryAt:
		p.repeated = true // it may be about a part that was on the line before the last 0x45
	default:
		s.rewind(p)
	}
}

func (e Allow) apply(s *Scheduler) {
	p := s.player(e.PID)
	p.allowed = true
	if p.state == refused {
		s.request(p, p.acked)
	}
}

func (e SetMode) apply(s *Scheduler) {
	s.cfg.Mode = e.Mode
	for _, p := range s.players {
		if p.state == refused && s.may(p) || p.state == waiting && !s.may(p) {
			s.unqueue(p.pid)
			s.request(p, p.acked)
		}
	}
}

func (e Leave) apply(s *Scheduler) {
	if p := s.byPID[e.PID]; p != nil {
		s.unqueue(e.PID)
		s.stop(p, removed, WhyLeft)
		s.byPID[e.PID] = nil
		s.players = slices.DeleteFunc(s.players, func(q *player) bool { return q == p })
		s.admit()
	}
}

func (e Measured) apply(s *Scheduler) {
	p, f := s.player(e.PID), e.Figures
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

func (e Late) apply(s *Scheduler) { s.yield.late(s.now, e.By) }
