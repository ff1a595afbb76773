package host

import (
	"fmt"
	"testing"
	"time"
)

// TestLeavesOfAnAddress: one address that joins and leaves under a new name each time, lobbies and games that have just
// begun alike, is refused after some of these leaves. Players of other addresses get in.
func TestLeavesOfAnAddress(t *testing.T) { inBubble(t, testLeavesOfAnAddress) }

func testLeavesOfAnAddress(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Limits.Exempt, o.Limits.LobbyLeaves, o.Limits.LobbyLeavesWithin = nil, 2, 10*time.Minute
		o.Limits.JoinsPerMinute = 100
	})
	g := r.lobby(4)
	knock := func(from, name string) *client { return r.knockOn(clientOn(t, r.connect(from)), g, name, player) }
	for i := range 5 {
		c := r.letIn(knock("203.0.113.7", fmt.Sprint("Eve", i)))
		c.Send(packet(0x21, uint32(7)))
		c.Until(0x1B)
	}
	last := r.letIn(knock("203.0.113.7", "Eve"))
	r.begin(last)
	last.Until(0x0C)
	last.Send(packet(0x21, uint32(7)))
	wantFIN(t, last)
	g = r.lobby(4)
	if b := knock("203.0.113.7", "Eve9").Next(); b[1] != 0x05 {
		t.Errorf("after so many leaves: % X", b)
	}
	r.letIn(knock("203.0.113.8", "Ann"))
}
