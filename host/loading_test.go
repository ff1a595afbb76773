package host

import (
	"slices"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
)

// loading starts a game of two of whom only the first has loaded.
func loading(r *rig) (early, late *client) {
	r.t.Helper()
	g := r.lobby(2)
	early, late = r.join(g, "Early", player), r.join(g, "Late", lobbyist)
	r.begin(early, late)
	for _, c := range []*client{early, late} {
		if b := c.Until(0x08); b[4] != early.PID {
			r.t.Fatalf("%s: %X has loaded", c.Name, b)
		}
	}
	return early, late
}

// TestShutdownWhileLoading closes the connections of clients that load, and sends
// them nothing: they cannot take it.
func TestShutdownWhileLoading(t *testing.T) { inBubble(t, testShutdownWhileLoading) }

func testShutdownWhileLoading(t *testing.T) {
	r := newRig(t, nil)
	early, late := loading(r)
	if took := r.shutDown(); took > 2*time.Second {
		t.Errorf("Run returned after %v", took)
	}
	for _, c := range []*client{early, late} {
		if b := c.Next(); b != nil {
			t.Errorf("%s, who loads, is sent %X", c.Name, b)
		}
		wantFIN(t, c)
	}
}

// TestTooLongButHarmless: packets whose meaning stands at their beginning may be
// longer, in a lobby and in a game.
func TestTooLongButHarmless(t *testing.T) { inBubble(t, testTooLongButHarmless) }

func testTooLongButHarmless(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(2)
	alice, bob := r.join(g, "Alice", player), r.join(g, "Bob", nil)
	bob.Until(0x3D)
	tail := []byte{1, 2, 3}
	bob.Send(packet(0x42, uint32(1), byte(1), g.m.Size, tail), packet(0x46, uint32(1), tail), packet(0x3B, uint16(3), tail))
	line := r.logged("extra bytes at the end of a packet are ignored; only the first such packet is logged")
	if line["error"] != "decode MAPSIZE (0x42) at byte 9: bytes left over" {
		t.Errorf("logged %v", line)
	}
	testkit.Eventually(t, "Bob's map", func() bool {
		return slices.ContainsFunc(alice.Slots(), func(s w3gs.Slot) bool { return s.PID == bob.PID && s.Download == 100 })
	})
	r.begin(alice, bob)
	bob.Send(packet(0x23, tail))
	alice.Until(0x0C)
	bob.Until(0x0C)
	if n := len(r.log.find("extra bytes at the end of a packet are ignored; only the first such packet is logged")); n != 1 {
		t.Errorf("%d lines in the log", n)
	}
}
