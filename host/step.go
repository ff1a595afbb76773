package host

import (
	"runtime/debug"
	"time"

	"w3host/game"
	"w3host/record/journal"
)

// stepping is the machine of a game, with the inputs and outputs that are on their way.
type stepping struct {
	shard   *shard
	carrier carrier
	machine *game.Machine
	journal journal.Journal
	out     game.Out
	opened  time.Duration // on the shard's clock; the machine's clock begins there
	last    game.Kind     // of the inputs, for the file of a crash
	from    game.LinkID   // whose packet the machine takes at the moment; 0: none
	busy    bool          // a step is under way
	pending []game.Input  // that of the step under way, and those that it has caused
	next    int           // of pending
	over    bool
}

// carrier carries out the outputs of the steps.
type carrier interface {
	// carryOut passes on the facts and obeys the orders.
	carryOut(*game.Out)
	// stepped comes when no input waits any more.
	stepped()
	// crashed ends the game after a panic, which has left the machine in any state.
	crashed(fault any, stack []byte)
}

// begin carries out the first outputs of a new machine.
func (s *stepping) begin() {
	s.opened = s.shard.Now()
	defer s.rescue()
	s.busy = true
	s.carryOut()
	s.runPending()
}

// step gives one input to the machine and carries out its outputs.
func (s *stepping) step(in *game.Input) {
	if s.over {
		return
	}
	s.pending = append(s.pending, *in) // as a copy, so that in need not be on the heap
	if s.busy {
		return
	}
	defer s.rescue()
	s.busy = true
	s.runPending()
}

// runPending steps through the inputs that wait, and through those that they cause.
func (s *stepping) runPending() {
	for s.next < len(s.pending) && !s.machine.Over() {
		in, now := &s.pending[s.next], s.shard.Now()-s.opened
		s.next++
		if s.last = in.Kind; in.Bytes > 0 {
			s.from = in.Link
		}
		s.journal.Input(now, in)
		s.machine.Step(now, in, &s.out)
		s.from = 0
		s.journal.Output(&s.out)
		s.carryOut()
	}
	clear(s.pending)
	s.pending, s.next, s.busy = s.pending[:0], 0, false
	s.carrier.stepped()
}

func (s *stepping) carryOut() {
	s.carrier.carryOut(&s.out)
	s.out.Reset()
}

// call runs f on the goroutine of the shard, unless the game is over by then.
func (s *stepping) call(f func()) {
	s.shard.Call(func() {
		if !s.over {
			defer s.rescue()
			f()
		}
	})
}

// rescue ends the game if it panics. Every entry into its machine defers it.
func (s *stepping) rescue() {
	if fault := recover(); fault != nil {
		s.carrier.crashed(fault, debug.Stack())
	}
}
