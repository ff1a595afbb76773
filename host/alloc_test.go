package host

import (
	"testing"

	"w3host/game"
	"w3host/host/loop"
	"w3host/protocol/w3gs"
)

// feed is a socket that has the same bytes at each read.
type feed struct {
	loop.Socket
	bytes []byte
}

func (f *feed) Read(p []byte) (n int, more bool, err error) { return copy(p, f.bytes), false, nil }

// TestPacketAllocatesNothing: an action's way from a socket into the machine and the
// journal uses memory that is there already.
func TestPacketAllocatesNothing(t *testing.T) {
	r := newRig(t, nil)
	g, _ := r.play(2)
	step := func() {
		r.h.shard.Receive(g.seats[2].Conn)
		g.step(&game.Input{Kind: game.Tick})
	}
	if !r.h.shard.Wait(func() {
		l := g.seats[2]
		from := &feed{l.Socket, (&w3gs.OutgoingAction{Data: []byte{1}}).AppendTo(nil)}
		l.Socket = from
		defer func() { l.Socket = from.Socket }()
		if n := testing.AllocsPerRun(1000, step); n != 0 { // an average, rounded down
			t.Errorf("%v allocations for an action and a tick", n)
		}
	}) {
		t.Fatal("the host has ended")
	}
}
