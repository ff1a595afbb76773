package lobby

import (
	"cmp"
	"fmt"
	"time"

	"w3host/protocol/w3gs"
)

// world is a sink: what the host and the clients make of a lobby.
type world struct {
	err     error // the first fault
	l       *Lobby
	clients map[uint8]*client
	counts  Counts
	started bool
	log     []byte
}

// client is one player's picture of the lobby.
type client struct {
	pid    uint8
	knows  w3gs.PIDs
	table  []w3gs.Slot
	begins int                          // 0x0A, then 0x0B
	drawn  map[w3gs.ExtraKind]w3gs.PIDs // whose profile and skins came
}

func (w *world) fail(err error) { w.err = cmp.Or(w.err, err) }

func (w *world) Send(to w3gs.PIDs, p w3gs.Packet) { w.fail(w.deliver(to, p)) }

func (w *world) Joined(_ *Join, pid uint8, _ int) {
	if w.clients[pid] != nil {
		w.fail(fmt.Errorf("pid %d given twice", pid))
	}
	w.clients[pid] = &client{pid: pid, drawn: map[w3gs.ExtraKind]w3gs.PIDs{}}
}

func (w *world) Left(pid uint8, _ w3gs.LeaveReason, _ bool) { delete(w.clients, pid) }

func (w *world) Kicked(pid uint8, _ int, _, _ string) { delete(w.clients, pid) }

func (w *world) Started(Started) {
	if w.started {
		w.fail(fmt.Errorf("started twice"))
	}
	w.started = true
	for pid, c := range w.clients {
		begins := 2 // 0x0A and 0x0B
		if w.l.version().StartDelay() > 0 {
			begins = 1
		}
		if c.begins != begins {
			w.fail(fmt.Errorf("pid %d was not told of the start", pid))
		}
		skins, profiles := c.drawn[w3gs.ExtraSkins], c.drawn[w3gs.ExtraProfile]
		if w.l.version().IntroducesAtJoin() {
			skins |= w3gs.Only(pid) // of the own skins nobody tells
		}
		if w.l.version().Reforged() && (skins != c.knows || profiles != c.knows) {
			w.fail(fmt.Errorf("pid %d knows %b, and skins of %b, profiles of %b", pid, c.knows, skins, profiles))
		}
	}
}

func (w *world) Fact(f Fact) {
	if c, ok := f.(*CountsChanged); ok {
		w.counts = c.Counts
	} else {
		w.log = fmt.Appendf(w.log, "%T%+v", f, f)
	}
}

func (w *world) Rejected(j *Join, reason w3gs.RejectReason, why string) {
	w.log = fmt.Appendf(w.log, "rejected %d %v %s", j.Conn, reason, why)
}

func (w *world) NeedsMap(pid uint8, have uint32) {
	w.log = fmt.Appendf(w.log, "needs map %d %d", pid, have)
}

func (w *world) Said(line Said) { w.log = fmt.Appendf(w.log, "%+v", line) }

func (w *world) Flooded(pid uint8, mute time.Duration) {
	w.log = fmt.Appendf(w.log, "flooded %d %v", pid, mute)
}

func (w *world) Closed(why string) { w.log = fmt.Appendf(w.log, "closed %s", why) }

func (w *world) deliver(to w3gs.PIDs, p w3gs.Packet) error {
	frame := p.AppendTo(nil)
	w.log = append(fmt.Appendf(w.log, "%v", to), frame...)
	if _, err := w3gs.Decode(frame, w3gs.FromHost); err != nil {
		return err
	}
	for pid := range to.All() {
		c := w.clients[pid]
		if c == nil {
			return fmt.Errorf("%v for pid %d, who is not there", p.Op(), pid)
		}
		if err := c.receive(p); err != nil {
			return fmt.Errorf("pid %d: %v: %w", pid, p.Op(), err)
		}
	}
	return nil
}

func (c *client) receive(p w3gs.Packet) error {
	if _, first := p.(*w3gs.SlotInfoJoin); !first && c.knows == 0 {
		return fmt.Errorf("before the 0x04")
	}
	switch p := p.(type) {
	case *w3gs.SlotInfoJoin:
		if p.PID != c.pid {
			return fmt.Errorf("it names pid %d", p.PID)
		}
		c.knows, c.table = w3gs.Only(p.PID), p.Slots
	case *w3gs.PlayerInfo:
		if c.knows.Has(p.PID) {
			return fmt.Errorf("pid %d is known already", p.PID)
		}
		c.knows |= w3gs.Only(p.PID)
	case *w3gs.PlayerLeave:
		if !c.knows.Has(p.PID) || p.PID == c.pid {
			return fmt.Errorf("pid %d cannot leave", p.PID)
		}
		c.knows &^= w3gs.Only(p.PID)
		for kind := range c.drawn {
			c.drawn[kind] &^= w3gs.Only(p.PID)
		}
	case *w3gs.SlotInfo:
		c.table = p.Slots
		for _, s := range p.Slots {
			if s.PID != 0 && !c.knows.Has(s.PID) {
				return fmt.Errorf("pid %d in the table was never introduced", s.PID)
			}
		}
	case *w3gs.ChatFromHost:
		if !c.knows.Has(p.From) {
			return fmt.Errorf("from pid %d, whom nobody introduced", p.From)
		}
	case *w3gs.PlayerExtra:
		if !c.knows.Has(p.PID()) {
			return fmt.Errorf("of pid %d, whom nobody introduced", p.PID())
		}
		if p.Kind != w3gs.ExtraPair {
			c.drawn[p.Kind] |= w3gs.Only(p.PID())
		}
	case *w3gs.CountdownStart, *w3gs.CountdownEnd:
		c.begins++
	case *w3gs.GameLoaded:
		if !c.knows.Has(p.PID) {
			return fmt.Errorf("pid %d is unknown", p.PID)
		}
	}
	return nil
}

// compare holds the clients' picture against the lobby. Downloads may be a
// second old.
func (w *world) compare() error {
	l := w.l
	if l.phase >= phaseStarted {
		return nil
	}
	if w.counts != (Counts{}) && w.counts != l.Counts() {
		return fmt.Errorf("announced %+v, has %+v", w.counts, l.Counts())
	}
	known := w3gs.Only(l.vhost) &^ 1
	for _, p := range l.players {
		if p != nil {
			known |= w3gs.Only(p.pid)
		}
	}
	for pid, c := range w.clients {
		if c.knows != known {
			return fmt.Errorf("pid %d knows %b, there are %b", pid, c.knows, known)
		}
		if !l.introduced().Has(pid) {
			continue
		}
		for i, s := range l.SlotTable().Slots {
			s.Download = c.table[i].Download
			if s != c.table[i] {
				return fmt.Errorf("pid %d sees %+v in slot %d, which is %+v", pid, c.table[i], i+1, s)
			}
		}
	}
	return nil
}
