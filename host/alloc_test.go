package host

import (
	"testing"

	"w3host/game"
)

// TestStepAllocatesNothing: what comes of an action, the way into the machine and
// into the journal included, uses memory that is there already.
func TestStepAllocatesNothing(t *testing.T) {
	r := newRig(t, nil)
	g, _ := r.play(2)
	data := []byte{1}
	step := func() {
		g.step(&game.Input{Kind: game.Action, Link: 1, Data: data})
		g.step(&game.Input{Kind: game.Tick})
	}
	if !r.h.shard.wait(func() {
		if n := testing.AllocsPerRun(1000, step); n != 0 { // an average, rounded down
			t.Errorf("%v allocations for an action and a tick", n)
		}
	}) {
		t.Fatal("the host has ended")
	}
}
