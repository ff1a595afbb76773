package watch

import "time"

// beat is the interval at which all viewers are read and ticked together. Reading them at once when
// packets arrive would cost more, because each wake-up of the loop's thread costs more than the
// work for a packet.
const beat = 50 * time.Millisecond

// startBeat is called for each new viewer and starts the beat with the first.
func (s *Server) startBeat() {
	if s.pulse == nil {
		s.beatAt = s.Now() + beat
		s.pulse = s.Group(s, 0)
		s.pulse.Touch()
	}
}

// stopBeat stops the beat after the last viewer has left.
func (s *Server) stopBeat() {
	if len(s.viewers) == 0 && s.pulse != nil {
		s.CloseGroup(s.pulse)
		s.pulse = nil
	}
}

// Tick ticks the viewers that are due.
func (s *Server) Tick() {
	if s.pulse == nil {
		return // the last has just left
	}
	s.beatAt = s.Now() + beat
	s.pulse.Touch()
	for v := range s.viewers {
		if !v.calm {
			v.calm = true
			s.ReadInTime(s.pulse, v.Conn)
		}
		if v.client.Next() <= s.Now() {
			v.Tick()
		}
		if s.pulse == nil {
			return
		}
	}
}

// Attends returns false, because viewers are read only at the beat.
func (*Server) Attends() bool { return false }

// Next returns the time of the next beat.
func (s *Server) Next() (at time.Duration, ok bool) { return s.beatAt, true }
