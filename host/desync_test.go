package host

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"w3host/internal/testkit"
	"w3host/storage"
)

// TestOneWrongHashAmongTen: the one is dropped alone, at the turn it happened in;
// chat, log and record name the player and the turn.
func TestOneWrongHashAmongTen(t *testing.T) { inBubble(t, testOneWrongHashAmongTen) }

func testOneWrongHashAmongTen(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(10)
	var clients []*client
	for i := range 10 {
		c := r.join(g, fmt.Sprintf("P%d", i+1), player)
		if i == 6 {
			c.Hash = func(turn int) uint32 {
				if turn == 5 {
					return 0xBAD
				}
				return uint32(turn) * 7
			}
		}
		clients = append(clients, c)
	}
	bad := clients[6]
	r.begin(clients...)
	wantFIN(t, bad)
	for _, c := range clients {
		if c == bad {
			continue
		}
		line := c.UntilText("Desync")
		if !strings.Contains(line, "turn 5") || !strings.Contains(line, "dropped P7") {
			t.Errorf("%s reads %q", c.Name, line)
		}
		if b := c.Until(0x07); !matches(fmt.Sprintf("F7 07 09 00 %02X 07 00 00 00", bad.PID), b) {
			t.Errorf("%s: got %X for the drop", c.Name, b)
		}
		mark := c.Count(0x0C)
		testkit.Eventually(t, "turns afterwards", func() bool { return c.Count(0x0C) > mark+2 })
		if c.Count(0x07) != 2 { // the virtual host and the one
			t.Errorf("%s saw %d leaves", c.Name, c.Count(0x07))
		}
	}

	d := recorded[storage.Desync](r)
	if d.Turn != 5 || len(d.Groups) != 2 || d.Groups[0].Dropped || len(d.Groups[0].PIDs) != 9 ||
		!d.Groups[1].Dropped || d.Groups[1].Hash != 0xBAD || !json.Valid(d.Dossier) {
		t.Errorf("recorded %+v", d)
	}
	if left := recorded[storage.PlayerLeft](r); left.PID != bad.PID || left.Code != 7 || left.Reason != "desynced" {
		t.Errorf("recorded %+v", left)
	}
	if line := r.logged("desync"); line["turn"] != 5. {
		t.Errorf("logged %v", line)
	}
	if line := r.logged("player dropped"); line["player"] != "P7" || line["reason"] != "desynced" || line["turn"] == nil {
		t.Errorf("logged %v", line)
	}
}

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
