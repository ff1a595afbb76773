package game

import (
	"testing"
	"time"
)

// TestStepAllocatesNothing has two players act and answer through turn after
// turn.
func TestStepAllocatesNothing(t *testing.T) {
	s := newScene()
	for _, line := range []string{"join Ann", "join Bob", "Ann: !start now", "wait 1s", "load", "wait 1s"} {
		if err := s.event(line); err != nil {
			t.Fatal(err)
		}
	}
	before := s.m.turns.Turns()
	ack := [...]Input{{Kind: Keepalive, Link: 1, Sum: 7}, {Kind: Keepalive, Link: 2, Sum: 7}}
	act, tick := Input{Kind: Action, Link: 1, Data: []byte{1, 2, 3}}, Input{Kind: Tick}
	step := func(in *Input) {
		s.out.Reset()
		s.m.Step(s.now, in, &s.out)
	}
	for range before {
		step(&ack[0])
		step(&ack[1])
	}
	turn := func() {
		s.now += 100 * time.Millisecond
		step(&act)
		step(&tick)
		step(&ack[0])
		step(&ack[1])
	}
	for range 500 {
		turn()
	}
	// An average, rounded down: the ping of every 50th turn may allocate.
	if n := testing.AllocsPerRun(40, turn); n != 0 {
		t.Errorf("%v allocations in a turn", n)
	}
	if s.m.turns.Live().Len() != 2 || s.m.turns.Turns() < before+500 || s.m.turns.Laggers() != 0 {
		t.Errorf("%d turns, live %b, laggers %b", s.m.turns.Turns(), s.m.turns.Live(), s.m.turns.Laggers())
	}
}
