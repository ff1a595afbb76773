package mapxfer

import (
	"time"

	"w3host/protocol/w3gs"
)

// Report processes a 0x42. Flag 1 says how much of the map the player has, flag 3 that a download makes
// progress. The first report with either flag starts a download of the missing bytes.
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
			s.finish(p) // the client has verified the file
		} else if m.Size >= p.acked || p.acked == p.base { // otherwise older than the last 0x44
			s.acknowledged(p, m.Size)
		}
	default:
		s.reported(p, m.Size)
	}
}

// reported processes the reported length of a player who is not downloading, and requests the rest.
func (s *Scheduler) reported(p *player, held uint32) {
	if held > s.cfg.Size { // a different file with the same name, which cannot be resumed
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

// Ack processes a 0x44, which acknowledges parts.
func (s *Scheduler) Ack(now time.Duration, pid uint8, m w3gs.MapPartOK) {
	s.enter(now)
	p := s.player(pid)
	switch {
	case p.state == removed || p.state == done && m.Size <= p.high: // the last ones may arrive after the final 0x42
	case p.state == done:
		s.ignore(p, WhyPastSent)
	case m.To != p.pid && m.From != p.pid:
		s.ignore(p, WhyOtherPlayer)
	case p.state != active:
		s.ignore(p, WhyNotSent)
	default:
		s.acknowledged(p, m.Size)
	}
}

// Refuse processes a 0x45, which either requests retransmission or declines the download; both look the same.
// Before the first acknowledgement, the parts are sent once more; if the client still acknowledges none, it
// has declined.
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
		p.repeated = true // may concern a part sent before the last 0x45 arrived
	default:
		s.rewind(p)
	}
}
