package watch

import "time"

// beat is how often all viewers are read and ticked together. Their packets wait for it: the loop has a thread
// of its own, and to wake that for each packet and each turn of each viewer costs other threads more than the
// loop's own work.
const beat = 50 * time.Millisecond

// startBeat comes with each viewer.
func (s *Server) startBeat() {
	if s.pulse == nil {
		s.beatAt = s.Now() + beat
		s.pulse = s.Group(s, 0)
		s.pulse.Touch()
	}
}

// stopBeat stops it behind the last.
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

// Attends is false: viewers are read with each tick.
func (*Server) Attends() bool { return false }

// Next is when the next beat is due.
func (s *Server) Next() (at time.Duration, ok bool) { return s.beatAt, true }
