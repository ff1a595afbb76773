package mapxfer

import (
	"time"

	"w3host/protocol/w3gs"
)

// Report takes a 0x42: what the player holds. Flag 1 says that the player holds it,
// flag 3 that a download goes on; the first report of either kind asks for
// the missing part.
func (s *Scheduler) Report(now time.Duration, pid uint8, m w3gs.MapSize) {
	s.enter(now)
	p := s.player(pid)
	switch {
	case p.state == removed:
	case m.Flag != w3gs.MapHave && m.Flag != w3gs.MapDownloading:
		s.ignore(p, WhyFlag)
	case p.state == done && m.Flag == w3gs.MapDownloading: // older than the last 0x44
	case p.state == active:
		if m.Flag == w3gs.MapHave && m.Size == s.cfg.Size {
			s.finish(p) // the client checked the file
		} else if m.Size >= p.acked || p.acked == p.base { // else it is older than the last 0x44
			s.mark(p, m.Size)
		}
	default:
		s.hold(p, m.Size)
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

// Ack takes a 0x44: parts have arrived.
func (s *Scheduler) Ack(now time.Duration, pid uint8, m w3gs.MapPartOK) {
	s.enter(now)
	p := s.player(pid)
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

// Refuse takes a 0x45: the client wants parts again, or no download at all. Both
// look the same. Before any part was acknowledged the parts are sent once more;
// if that brings no acknowledgement either, it was a refusal.
func (s *Scheduler) Refuse(now time.Duration, pid uint8, m w3gs.MapPartNotOK) {
	s.enter(now)
	p := s.player(pid)
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
