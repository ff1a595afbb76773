package mapxfer

import (
	"time"

	"w3host/protocol/w3gs"
)

// Event is something that happened.
type Event interface{ event() }

type (
	// Report is a 0x42: what the player holds. Flag 1 says that the player holds it,
	// flag 3 that a download goes on; the first report of either kind asks for
	// what is missing.
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

	// Leave says that a player is gone; the place goes to the next who waits.
	Leave struct{ PID uint8 }

	// Look tells a player's figures. It comes before the player's events and, for
	// all who download, before Tick.
	Look struct {
		PID     uint8
		Figures Figures
	}

	// Late says that a turn of a running game went out By too late: transfers make
	// way.
	Late struct{ By time.Duration }
)

func (Report) event()  {}
func (Ack) event()     {}
func (Refuse) event()  {}
func (Allow) event()   {}
func (SetMode) event() {}
func (Leave) event()   {}
func (Look) event()    {}
func (Late) event()    {}

// Handle takes one event and appends what follows from it to out.
func (s *Scheduler) Handle(now time.Duration, ev Event, out []Effect) []Effect {
	s.now = max(now, s.now)
	switch e := ev.(type) {
	case Report:
		return s.report(s.now, e.PID, e.Packet, out)
	case Ack:
		return s.ack(s.now, e.PID, e.Packet, out)
	case Refuse:
		return s.refuse(s.now, e.PID, e.Packet, out)
	case Allow:
		p := s.player(e.PID)
		p.allowed = true
		if p.state == refused {
			return s.request(s.now, p, p.acked, out)
		}
	case SetMode:
		return s.setMode(s.now, e.Mode, out)
	case Leave:
		return s.leave(s.now, e.PID, out)
	case Look:
		s.look(s.now, e.PID, e.Figures)
	case Late:
		s.yield.late(s.now, e.By)
	}
	return out
}
