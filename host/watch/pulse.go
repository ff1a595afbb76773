package watch

import (
	"time"

	"w3host/host/loop"
)

// beat is how often all viewers are read and ticked together. Their packets wait for it: the loop has a thread
// of its own, and to wake that for each packet and each turn of each viewer costs other threads more than the
// loop's own work.
const beat = 50 * time.Millisecond

// pulse is the beat of a server.
type pulse struct {
	server *Server
	group  *loop.Group // nil: there is no viewer
	at     time.Duration
}

// begin starts it with the first viewer.
func (p *pulse) begin() {
	if p.group == nil {
		p.at = p.server.Now() + beat
		p.group = p.server.Group(p, 0)
		p.group.Touch()
	}
}

// end stops it behind the last.
func (p *pulse) end() {
	if len(p.server.viewers) == 0 && p.group != nil {
		p.server.CloseGroup(p.group)
		p.group = nil
	}
}

// Tick ticks the viewers that are due.
func (p *pulse) Tick() {
	if p.group == nil {
		return // the last has just left
	}
	p.at = p.server.Now() + beat
	p.group.Touch()
	for v := range p.server.viewers {
		if !v.calm {
			v.calm = true
			p.server.ReadInTime(p.group, v.Conn)
		}
		if v.client.Next() <= p.server.Now() {
			v.Tick()
		}
		if p.group == nil {
			return
		}
	}
}

// Next is when the next beat is due.
func (p *pulse) Next() (at time.Duration, ok bool) { return p.at, true }
