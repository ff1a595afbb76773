package host

import (
	"runtime/debug"
	"time"

	"w3host/game"
	"w3host/record/journal"
)

// stepping is the machine of a game with its waiting inputs.
type stepping struct {
	shard   *shard
	carrier carrier
	machine *game.Machine
	journal journal.Journal
	out     game.Out
	opened  time.Duration // start of the machine's clock, on the shard's clock
	last    game.Kind     // kind of the last input, for crash reports
	from    game.LinkID   // link whose packet the machine is handling; 0: none
	busy    bool          // a step is in progress
	pending []game.Input  // the input of that step, and the inputs that it has caused
	next    int           // index of the next input in pending
	over    bool
}

// carrier is the Game as its steps see it.
type carrier interface {
	// carryOut shows the facts to the observers and executes the orders.
	carryOut(*game.Out)
	// stepped is called when no input waits any more.
	stepped()
	// crashed handles a panic. The machine's state may be broken.
	crashed(fault any, stack []byte)
}

// begin executes the first orders of a new machine.
func (s *stepping) begin() {
	s.opened = s.shard.Now()
	defer s.rescue()
	s.busy = true
	s.carryOut()
	s.runPending()
}

// step gives one input to the machine and executes the orders. During another step, the input waits for its end.
func (s *stepping) step(in *game.Input) {
	if s.over {
		return
	}
	s.pending = append(s.pending, *in) // a copy, so that in does not escape to the heap
	if s.busy {
		return
	}
	defer s.rescue()
	s.busy = true
	s.runPending()
}

// runPending handles the waiting inputs, and those that they cause.
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

// call runs f on the loop's goroutine later, unless the game is over by then.
func (s *stepping) call(f func()) {
	s.shard.Call(func() {
		if !s.over {
			defer s.rescue()
			f()
		}
	})
}

// rescue handles a panic of the game. Every function that enters the machine defers it.
func (s *stepping) rescue() {
	if fault := recover(); fault != nil {
		s.carrier.crashed(fault, debug.Stack())
	}
}
