package watch

import (
	"time"

	"w3host/host/loop"
)

// beat is how often those who watch are looked after together. What they send waits for that, so that the
// loop, whose thread is another than that of the games, is not woken for each packet and each turn of each
// of them.
const beat = 50 * time.Millisecond

// pulse has those who watch read and ticked.
type pulse struct {
	server *Server
	group  *loop.Group // nil: nobody watches
	at     time.Duration
}

// begin is called when somebody watches.
func (p *pulse) begin() {
	if p.group == nil {
		p.at = p.server.Now() + beat
		p.group = p.server.Group(p, 0)
		p.group.Touch()
	}
}

// end is called when somebody watches no more.
func (p *pulse) end() {
	if len(p.server.viewers) == 0 && p.group != nil {
		p.server.CloseGroup(p.group)
		p.group = nil
	}
}

// Tick looks after all.
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

// Next is when it does so next.
func (p *pulse) Next() (at time.Duration, ok bool) { return p.at, true }
