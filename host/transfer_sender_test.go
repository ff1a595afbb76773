package host

import (
	"fmt"
	"testing"
)

// TestSenderOfAFullLobby: the twelfth player gets the virtual host's pid, and the
// map from somebody else.
func TestSenderOfAFullLobby(t *testing.T) { inBubble(t, testSenderOfAFullLobby) }

func testSenderOfAFullLobby(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(12)
	for i := range 11 {
		r.join(g, fmt.Sprintf("P%d", i+1), player)
	}
	last := r.join(g, "Last", nil)
	if last.PID != 1 {
		t.Fatalf("the last one has pid %d, not the virtual host's", last.PID)
	}
	last.Until(0x3D)
	last.Send(packet(0x42, uint32(1), byte(1), uint32(0)))
	if from := last.Until(0x3F)[8]; from == last.PID || from == 0 {
		t.Errorf("the map is announced from pid %d", from)
	}
	if part := last.Until(0x43); part[4] != last.PID || part[5] == last.PID {
		t.Errorf("a part for pid %d comes from pid %d", part[4], part[5])
	}
}
