package host

import (
	"strings"
	"testing"

	"w3host/internal/testkit"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

// TestRemake: the players vote to play again. The game ends as a remake, and a
// lobby with its name opens in its place, where everybody gets the old slot.
func TestRemake(t *testing.T) { inBubble(t, testRemake) }

func testRemake(t *testing.T) {
	b := board{make(chan string, 100)}
	r := newRig(t, func(o *Options) {
		o.Advertiser = b
		o.Autohost = oneEntry(1, 1, func(string, []w3gs.Version) (*Map, error) { return testMap(4), nil })
	})
	testkit.Eventually(t, "a lobby", func() bool { return r.h.Game(1) != nil })
	g := r.h.Game(1)
	names := []string{"Ann", "Bob", "Cid"}
	clients := make(map[string]*client)
	for _, name := range names {
		clients[name] = r.join(g, name, player)
	}
	typed(g, clients["Ann"], "!swap 1 4")
	typed(g, clients["Ann"], "!rename Once more")
	typed(g, clients["Ann"], "!close 1")
	b.expect(t, "open 1 game 4/5", "update 1 3/5", "update 1 2/5", "update 1 1/5", "close 1", "open 1 Once more 1/5", "update 1 0/5")
	r.begin(clients["Ann"], clients["Bob"], clients["Cid"])
	slots := func(clients map[string]*client) map[string]w3gs.Slot {
		at := map[string]w3gs.Slot{}
		for _, c := range clients {
			for i, s := range clients["Bob"].Slots() {
				if s.PID == c.PID {
					s.PID, s.Download = uint8(i), 0
					at[c.Name] = s
				}
			}
		}
		return at
	}
	before := slots(clients)
	for _, name := range names {
		clients[name].Until(0x0C)
	}
	typed(g, clients["Cid"], "!rmk")
	typed(g, clients["Bob"], "!yes")
	typed(g, clients["Ann"], "!yes")
	for _, name := range names {
		if line := clients[name].UntilText("is over"); !strings.Contains(line, "played again") {
			t.Errorf("%s reads %q", name, line)
		}
		wantFIN(t, clients[name])
	}
	b.expect(t, "close 1", "open 2 Once more 3/5")
	if end := recorded[storage.GameEnded](r); end.How != storage.EndRemade {
		t.Errorf("recorded %+v", end)
	}
	testkit.Eventually(t, "the lobby is known", func() bool {
		i := r.h.Info(2)
		return i.Entry == "game" && i.Public && i.Name == "Once more"
	})
	again := map[string]*client{}
	for _, name := range []string{"Cid", "Ann", "Bob"} {
		again[name] = r.join(r.h.Game(2), name, player)
	}
	testkit.Eventually(t, "three players at their old places", func() bool {
		after := slots(again)
		for name, was := range before {
			if after[name] != was {
				return false
			}
		}
		return len(before) == 3 && again["Bob"].Slots()[0].Status == w3gs.SlotClosed
	})
	if n := len(r.h.Games()); n != 1 {
		t.Errorf("%d lobbies and games, where one may be", n)
	}
	r.begin(again["Cid"], again["Ann"], again["Bob"])
}
