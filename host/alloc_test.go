package host

import (
	"testing"

	"w3host/game"
	"w3host/protocol/w3gs"
)

// TestPacketAllocatesNothing: an action's way from the bytes of a socket into the
// machine and the journal uses memory that is there already.
func TestPacketAllocatesNothing(t *testing.T) {
	r := newRig(t, nil)
	g, _ := r.play(2)
	action := (&w3gs.OutgoingAction{Data: []byte{1}}).AppendTo(nil)
	step := func() {
		g.seats[2].received(action)
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

// TestByteByByte: a packet that comes byte by byte is not copied again for each byte.
func TestByteByByte(t *testing.T) {
	r := newRig(t, nil)
	g, _ := r.play(2)
	unknown := packet(0x77, make([]byte, frameMax-4))
	if !r.h.shard.wait(func() {
		l := g.seats[2]
		n := testing.AllocsPerRun(10, func() {
			for i := range unknown {
				l.received(unknown[i : i+1])
			}
		})
		if n > 15 || len(l.in.rest) > 0 || l.skipped != 11 {
			t.Errorf("%v allocations for a packet of %d bytes that comes byte by byte; %d bytes are left, %d packets skipped", n, len(unknown), len(l.in.rest), l.skipped)
		}
	}) {
		t.Fatal("the host has ended")
	}
}
