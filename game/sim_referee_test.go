package game

import (
	"fmt"
	"hash/crc32"
	"time"

	"w3host/protocol/w3gs"
)

// referee sees a game from the clients' side and finds what no client may see.
// It looks at nothing but the inputs and what comes out, so that it can judge a journal as well.
type referee struct {
	links  map[LinkID]uint8
	views  [w3gs.MaxPID + 1]*view
	master []uint32 // turns and leaves in their one order
	loads  []uint8  // who has loaded, in the order that all are told
	seq    uint64
	play   bool
	over   bool
	left   w3gs.PIDs
	rules  ledger
	turns  turnLedger
	seen   map[string]int // what has happened, for TestSimulation to sum up
}

func newReferee() *referee { return &referee{links: map[LinkID]uint8{}, seen: map[string]int{}} }

// hear takes an input before the machine does, which comes so late.
func (r *referee) hear(e *JournalItem, late time.Duration, m *Machine) {
	r.turns.hear(e, r.links[e.Input.Link], late, m)
}

// check holds the machine and the clients' pictures against each other after an input.
func (r *referee) check(m *Machine) error {
	if !r.play || r.over {
		return nil
	}
	t := &r.turns
	every := t.cfg.LagReset
	if !t.started {
		every = min(every, 30*time.Second)
	}
	for pid := range t.live.All() {
		switch v := r.views[pid]; {
		case !v.inside:
		case v.at != len(r.master):
			return fmt.Errorf("pid %d has been told %d of %d turns and leaves", pid, v.at, len(r.master))
		case t.now-v.turnAt > every+w3gs.MaxPeriod+time.Second && t.asleep < v.turnAt:
			return fmt.Errorf("pid %d has waited for a turn since %v", pid, v.turnAt)
		}
	}
	return t.check(m)
}

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
	r.note(s.Fact)
	if err := r.rules.fact(s.Fact); err != nil {
		return err
	}
	if err := r.turns.fact(s, r.rules.fakes); err != nil {
		return err
	}
	switch f := s.Fact.(type) {
	case *Turned:
		r.master = append(r.master, turnMark(f.Increment, f.Actions))
	case *LeftGame:
		if r.left.Has(f.PID) {
			return fmt.Errorf("pid %d leaves twice", f.PID)
		}
		r.left |= w3gs.Only(f.PID)
		r.master = append(r.master, leaveMark(f.PID, f.Reason))
	case *Loaded:
		r.loads = append(r.loads, f.PID)
	case *Started:
		r.play = true
	case *Over:
		r.over = true
		if r.left != r.turns.humans {
			return fmt.Errorf("the game is over, %b of %b have left", r.left, r.turns.humans)
		}
	case *Closed:
		r.over = true
	}
	return nil
}

func turnMark(increment uint16, actions []byte) uint32 {
	return crc32.Update(uint32(increment)+1, crc32.IEEETable, actions)
}

func leaveMark(pid uint8, reason w3gs.LeaveReason) uint32 {
	return 0xFF000000 | uint32(reason)<<8 | uint32(pid)
}

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
		switch {
		case ok && !r.play:
			r.views[pid] = nil
		case ok && r.over: // what comes behind it reaches nobody
			r.turns.live &^= w3gs.Only(pid)
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
