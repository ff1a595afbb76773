package host

import (
	"fmt"
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

// TestActionWhileOthersLoad waits for the first turn.
func TestActionWhileOthersLoad(t *testing.T) { inBubble(t, testActionWhileOthersLoad) }

func testActionWhileOthersLoad(t *testing.T) {
	early, late := loading(newRig(t, nil))
	early.Send(action([]byte{0x6B, 1, 2}), action([]byte{0x6B, 3}))
	time.Sleep(5 * period)
	if n := late.Count(0x0C); n > 0 {
		t.Fatalf("%d turns while one loads", n)
	}
	late.Send(packet(0x23))
	for _, c := range []*client{early, late} {
		b := c.Until(0x0C)
		if want := fmt.Sprintf("%02X 03 00 6B 01 02 %02X 02 00 6B 03", early.PID, early.PID); !matches(want, b[8:]) {
			t.Errorf("%s: the first turn holds %X, want %s", c.Name, b[8:], want)
		}
	}
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

// TestLeaveReasons: the others hear what a host may say.
func TestLeaveReasons(t *testing.T) {
	for said, heard := range map[uint32]byte{1: 1, 8: 8, 9: 9, 10: 10, 11: 11, 13: 7, 0x01020304: 7} {
		bubbled(t, fmt.Sprint(said), func(t *testing.T) {
			_, players := newRig(t, nil).play(2)
			players[1].Send(packet(0x21, said))
			if b := players[0].Until(0x07); !matches(fmt.Sprintf("F7 07 09 00 %02X %02X 00 00 00", players[1].PID, heard), b) {
				t.Errorf("told %X", b)
			}
		})
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
