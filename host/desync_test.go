package host

import (
	"testing"

	"w3host/internal/testkit"
	"w3host/storage"
)

// TestOneAgainstOne: with no group the largest, the game ends as a desync.
func TestOneAgainstOne(t *testing.T) { inBubble(t, testOneAgainstOne) }

func testOneAgainstOne(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(2)
	alice, bob := r.join(g, "Alice", player), r.join(g, "Bob", player)
	bob.Hash = func(turn int) uint32 { return uint32(turn) * 13 }
	r.begin(alice, bob)
	for _, c := range []*client{alice, bob} {
		if line := c.UntilText("Desync"); line != "[Host] Desync at turn 1: Alice against Bob; the game ends." {
			t.Errorf("%s reads %q", c.Name, line)
		}
		wantFIN(t, c)
	}
	if end := recorded[storage.GameEnded](r); end.How != storage.EndDesync {
		t.Errorf("recorded %+v", end)
	}
	if d := recorded[storage.Desync](r); d.Turn != 1 || !d.Groups[0].Dropped || !d.Groups[1].Dropped {
		t.Errorf("recorded %+v", d)
	}
	testkit.Eventually(t, "the end of the game", func() bool { return len(r.h.Games()) == 0 })
	if n := len(recordsOf[storage.GameEnded](r)); n != 1 {
		t.Errorf("%d ends were recorded", n)
	}
}
