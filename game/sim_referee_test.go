package game

import (
	"fmt"
	"hash/crc32"

	"w3host/w3gs"
)

// referee sees a game from the clients' side and finds what no client may see.
// It only looks at what comes out, so that it can judge a journal as well.
type referee struct {
	turns, settled uint32
	links          map[LinkID]uint8
	views          [w3gs.MaxPID + 1]*view
	master         []uint32 // turns and leaves in their one order
	seq            uint64
	play           bool
	over           bool
	rules          ledger
}

// view is one client's picture of the game.
type view struct {
	pid   uint8
	knows w3gs.PIDs
	at    int    // place in the master list
	parts []byte // actions of 0x48 that wait for their 0x0C
	plays bool   // 0x0B has come
}

func newReferee() *referee { return &referee{links: map[LinkID]uint8{}} }

func (r *referee) watch(out *Out) error {
	for i := range out.Facts {
		if err := r.fact(&out.Facts[i]); err != nil {
			return err
		}
	}
	for i := range out.Ops {
		if err := r.op(&out.Ops[i]); err != nil {
			return err
		}
	}
	if r.over && r.rules.remade != (r.rules.again != nil) {
		return fmt.Errorf("remade %v, to open again %v", r.rules.remade, r.rules.again != nil)
	}
	return nil
}

func (r *referee) fact(s *Stamped) error {
	if r.seq++; s.Seq != r.seq {
		return fmt.Errorf("fact %d follows fact %d", s.Seq, r.seq-1)
	}
	if r.over {
		return fmt.Errorf("%T after the end", s.Fact)
	}
	if err := r.rules.fact(s.Fact); err != nil {
		return err
	}
	switch f := s.Fact.(type) {
	case *Turned:
		r.master = append(r.master, turnMark(f.Increment, f.Actions))
		r.turns++
	case *Settled:
		if r.settled++; f.Turn != r.settled || f.Turn > r.turns {
			return fmt.Errorf("turn %d of %d is settled behind %d", f.Turn, r.turns, r.settled-1)
		}
	case *LeftGame:
		r.master = append(r.master, leaveMark(f.PID))
	case *Started:
		r.play = true
	case *Over, *Closed:
		r.over = true
	}
	return nil
}

func turnMark(increment uint16, actions []byte) uint32 {
	return crc32.Update(uint32(increment)+1, crc32.IEEETable, actions)
}

func leaveMark(pid uint8) uint32 { return 0xFFFFFF00 | uint32(pid) }

func (r *referee) op(op *Op) error {
	switch op.Kind {
	case Seat:
		if old := r.views[op.PID]; old == nil {
			r.views[op.PID] = &view{pid: op.PID, knows: w3gs.Only(op.PID)}
		} else if !r.play {
			return fmt.Errorf("pid %d given twice", op.PID)
		}
		r.links[op.Link] = op.PID
	case Close:
		pid, ok := r.links[op.Link]
		delete(r.links, op.Link)
		if ok && !r.play {
			r.views[pid] = nil
		}
	case Again:
		return r.rules.reopen(op.Config)
	case Send, SendLast:
		if f := w3gs.Frame(op.Frame); f.Op() == w3gs.OpChatFromHost {
			p := new(w3gs.ChatFromHost)
			if err := p.Decode(f.Body()); err != nil {
				return err
			}
			if err := told(op.To, p); err != nil {
				return err
			}
		}
		for pid := range op.To.All() {
			v := r.views[pid]
			if v == nil && !r.play {
				return fmt.Errorf("%v for pid %d, who is not there", w3gs.Frame(op.Frame).Op(), pid)
			}
			if v != nil {
				if err := v.receive(r, op.Frame); err != nil {
					return fmt.Errorf("pid %d: %w", pid, err)
				}
			}
		}
	case Parts:
		v := r.views[op.PID]
		switch {
		case v == nil || r.play:
			return fmt.Errorf("parts of the map for pid %d, who is not in the lobby", op.PID)
		case op.From == op.PID:
			return fmt.Errorf("pid %d is to get the map from itself", op.PID)
		case op.At >= op.End:
			return fmt.Errorf("parts from %d to %d", op.At, op.End)
		}
	}
	return nil
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
		if err := v.packet(r, p); err != nil {
			return fmt.Errorf("%v: %w", p.Op(), err)
		}
	}
	return nil
}

func (v *view) packet(r *referee, packet w3gs.Packet) error {
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
			return v.next(r, leaveMark(p.PID), "a leave")
		}
	case *w3gs.CountdownEnd:
		v.plays = true
	case *w3gs.ChatFromHost:
		if !v.knows.Has(p.From) {
			return fmt.Errorf("a line of pid %d, who is not there", p.From)
		}
	case *w3gs.IncomingAction2:
		v.parts = append(v.parts, p.Actions...)
	case *w3gs.IncomingAction:
		if p.IncrementMillis == 0 && len(p.Actions) == 0 && len(v.parts) == 0 {
			return nil // the lag screen is renewed
		}
		actions := append(v.parts, p.Actions...)
		v.parts = v.parts[:0]
		return v.next(r, turnMark(p.IncrementMillis, actions), "a turn")
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
