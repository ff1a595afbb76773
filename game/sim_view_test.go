package game

import (
	"fmt"
	"time"

	"w3host/protocol/w3gs"
)

// view is one client's picture of the game.
type view struct {
	pid    uint8
	knows  w3gs.PIDs
	at     int    // place in the master list
	parts  []byte // actions of 0x48 that wait for their 0x0C
	plays  bool   // 0x0B has come
	loaded w3gs.PIDs
	loads  int           // place in the order of loads
	inside bool          // the loading screen is gone
	screen w3gs.PIDs     // on the lag screen
	turnAt time.Duration // the last 0x0C
}

func (v *view) receive(r *referee, frames []byte) error {
	for len(frames) > 0 {
		frame, rest, err := w3gs.Next(frames, w3gs.MaxFrame)
		if err != nil || frame == nil {
			return fmt.Errorf("broken bytes: %v", err)
		}
		frames = rest
		p, err := w3gs.Decode(frame, w3gs.FromHost)
		if err != nil {
			return err
		}
		if len(frame) > 1460 && v.plays {
			return fmt.Errorf("%v of %d bytes", p.Op(), len(frame))
		}
		if err := v.packet(r, p); err != nil {
			return fmt.Errorf("%v: %w", p.Op(), err)
		}
	}
	return nil
}

func (v *view) packet(r *referee, packet w3gs.Packet) error {
	if v.plays && r.turns.live.Has(v.pid) {
		if err := v.bearable(packet.Op(), r.turns.stopping); err != nil {
			return err
		}
	}
	switch p := packet.(type) {
	case *w3gs.SlotInfoJoin:
		return v.table(&p.SlotTable, false)
	case *w3gs.SlotInfo:
		return v.table(&p.SlotTable, true)
	case *w3gs.PlayerInfo:
		if v.knows.Has(p.PID) {
			return fmt.Errorf("pid %d is introduced twice", p.PID)
		}
		v.knows |= w3gs.Only(p.PID)
	case *w3gs.PlayerLeave:
		if !v.knows.Has(p.PID) || p.PID == v.pid {
			return fmt.Errorf("pid %d leaves, who was not there", p.PID)
		}
		v.knows &^= w3gs.Only(p.PID)
		if v.plays {
			if v.screen.Has(p.PID) {
				return fmt.Errorf("pid %d leaves and is still on the lag screen", p.PID)
			}
			return v.next(r, leaveMark(p.PID, p.Reason), "a leave")
		}
	case *w3gs.CountdownEnd:
		v.plays = true
	case *w3gs.ChatFromHost:
		if !v.knows.Has(p.From) {
			return fmt.Errorf("a line of pid %d, who is not there", p.From)
		}
	case *w3gs.IncomingAction2:
		v.parts = append(v.parts, p.Actions...)
		r.seen["a turn in more than one packet"]++
	case *w3gs.IncomingAction:
		return v.turn(r, p)
	case *w3gs.GameLoaded:
		return v.load(r, p.PID)
	case *w3gs.StartLag:
		return v.startLag(p.Laggers)
	case *w3gs.StopLag:
		if !v.screen.Has(p.PID) {
			return fmt.Errorf("pid %d was not on the lag screen", p.PID)
		}
		v.screen &^= w3gs.Only(p.PID)
	}
	return nil
}

// next compares the client's next turn or leave with the one order.
func (v *view) next(r *referee, mark uint32, what string) error {
	if v.at >= len(r.master) || r.master[v.at] != mark {
		return fmt.Errorf("%s that does not come now (place %d of %d)", what, v.at, len(r.master))
	}
	v.at++
	return nil
}

// table checks that everybody in a slot has been introduced.
func (v *view) table(t *w3gs.SlotTable, introduced bool) error {
	var colours w3gs.PIDs
	self := false
	for i, s := range t.Slots {
		if s.Status != w3gs.SlotOccupied || s.Computer {
			continue
		}
		if introduced && !v.knows.Has(s.PID) {
			return fmt.Errorf("slot %d holds pid %d, who was not introduced", i, s.PID)
		}
		self = self || s.PID == v.pid
		if s.Team < w3gs.ObserverTeam {
			if colours.Has(s.Colour) {
				return fmt.Errorf("two players have colour %d", s.Colour)
			}
			colours |= w3gs.Only(s.Colour)
		}
	}
	if !self {
		return fmt.Errorf("the receiver has no slot")
	}
	return nil
}

// bearable checks what a client can take: a turn is not interrupted, and a client that
// loads takes nothing but lines and who has loaded. When the host stops it is told nothing.
func (v *view) bearable(op w3gs.Op, stopping bool) error {
	switch {
	case op == w3gs.OpIncomingAction || op == w3gs.OpIncomingAction2:
		if !v.inside || v.screen != 0 {
			return fmt.Errorf("it comes to a client that is inside the game: %v, with %b on the lag screen", v.inside, v.screen)
		}
	case len(v.parts) > 0:
		return fmt.Errorf("it comes inside a turn")
	case v.inside, op == w3gs.OpGameLoaded, op == w3gs.OpPingFromHost, op == w3gs.OpChatFromHost && !stopping:
	default:
		return fmt.Errorf("it comes to a client that loads")
	}
	return nil
}

func (v *view) turn(r *referee, p *w3gs.IncomingAction) error {
	v.turnAt = r.turns.now
	if p.IncrementMillis == 0 && len(p.Actions) == 0 && len(v.parts) == 0 {
		return nil // the lag screen is renewed
	}
	actions := append(v.parts, p.Actions...)
	v.parts = v.parts[:0]
	for pid := range w3gs.Actions(actions) {
		if !v.knows.Has(pid) {
			return fmt.Errorf("an action of pid %d, who is not there", pid)
		}
	}
	return v.next(r, turnMark(p.IncrementMillis, actions), "a turn")
}

// load notes that a player has loaded. A client that has loaded itself leaves its loading screen when all have.
func (v *view) load(r *referee, pid uint8) error {
	t := &r.turns
	if v.loaded.Has(pid) {
		return fmt.Errorf("pid %d has loaded twice", pid)
	}
	v.loaded |= w3gs.Only(pid)
	if !t.cfg.LoadInGame && t.live.Has(pid) && !t.loaded.Has(pid) {
		return fmt.Errorf("pid %d has not loaded", pid)
	}
	if t.humans.Has(pid) && !t.cfg.LoadInGame && t.loaded.Has(pid) {
		if v.loads >= len(r.loads) || r.loads[v.loads] != pid {
			return fmt.Errorf("pid %d has loaded, which does not come now (place %d of %v)", pid, v.loads, r.loads)
		}
		v.loads++
	}
	if t.loaded.Has(v.pid) && v.loaded&t.humans == t.humans {
		v.inside, v.turnAt = true, t.now
	}
	return nil
}

func (v *view) startLag(laggers []w3gs.Lagger) error {
	if len(laggers) == 0 {
		return fmt.Errorf("nobody is on it")
	}
	for _, l := range laggers {
		if v.screen.Has(l.PID) || !v.knows.Has(l.PID) {
			return fmt.Errorf("pid %d cannot begin to lag", l.PID)
		}
		v.screen |= w3gs.Only(l.PID)
	}
	return nil
}
