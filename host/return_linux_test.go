//go:build !portable && (amd64 || arm64)

package host

import (
	"fmt"
	"testing"

	"w3host/game"
	"w3host/internal/testkit"
)

// knockFrom has a client at 127.0.0.n join.
func knockFrom(t *testing.T, r *rig, g *Game, n byte, name string) *client {
	t.Helper()
	return r.letIn(r.knockOn(clientOn(t, r.connect(fmt.Sprintf("127.0.0.%d", n))), g, name, player))
}

// TestReturnFromElsewhere: the name alone does not let anybody in, from another address. The
// owner's word does.
func TestReturnFromElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t, returning)
	g, players := r.play(3)
	crash(t, players[1])
	players[0].UntilChat("P2 has lost the connection")
	stranger := knockFrom(t, r, g, 9, "p2")
	stranger.UntilChat("place is kept for the address")
	stranger.Send(packet(0x23), action([]byte("forged")))
	stranger.Say("!letin p2", stranger.PID)
	players[2].SayInGame("!letin p2", players[2].PID) // who does not own the game
	players[2].UntilChat("Only the owner can use letin")
	if stranger.Count(0x0B)+stranger.Count(0x0C) > 0 {
		t.Fatal("a stranger is in the game")
	}
	forger := knockFrom(t, r, g, 9, "P2")
	forger.Send(packet(0x27, byte(0), uint32(1))) // an answer to nothing
	if forger.Ended(); forger.Count(0x0B) > 0 {
		t.Error("a forger is in the game")
	}
	players[0].SayInGame("!letin p2", players[0].PID)
	stranger.Until(0x0B)
	players[0].UntilChat("P2 is back.")
	stranger.UntilChat("P2 is back.")
	sameGame(t, players[0], stranger)
	if seen(players[0], "forged") {
		t.Error("what a stranger did is in the game")
	}
}

// TestNoWatchingWhileAway: a player whose client has crashed, or who is being shown the game so far, does not watch
// meanwhile what the others do.
func TestNoWatchingWhileAway(t *testing.T) {
	t.Parallel()
	r, shown := shownRig(t, returning)
	g := r.lobby(2)
	ann, bob := r.join(g, "Ann", player), knockFrom(t, r, g, 9, "Bob")
	r.begin(ann, bob)
	ann.Until(0x0C)
	noise(ann)
	ad := watchEntry(t, shown)
	watch := func(n byte) *client {
		c := clientOn(t, r.connect(fmt.Sprintf("127.0.0.%d", n)))
		c.Name, c.Conduct = "Fan", player
		go c.Listen()
		c.Send(joinPacket(ad.GameID, ad.EntryKey, "Fan"))
		return c
	}
	watch(8).UntilChat("You watch test")
	crash(t, bob)
	ann.UntilChat("Bob has lost the connection")
	watch(9).UntilChat("Somebody at your address plays in this game")
	slow := r.letIn(r.knockOn(clientOn(t, r.connect("127.0.0.9")), g, "Bob", lobbyist)) // it never loads
	slow.Until(0x0B)
	watch(9).UntilChat("Somebody at your address plays in this game")
}

// TestReturnIntoAHeldGame: what the holder has runs again with those who have come back, and
// with those who are on the way.
func TestReturnIntoAHeldGame(t *testing.T) {
	t.Parallel()
	r, g, players := heldRig(t, returning)
	ann, cid := players[0], players[2]
	crash(t, players[1])
	ann.UntilChat("P2 has lost the connection")
	again := r.join(g, "P2", player)
	ann.UntilChat("P2 is back.")
	crash(t, cid)
	ann.UntilChat("P3 has lost the connection")
	slow := r.join(g, "P3", lobbyist) // it never loads
	slow.Until(0x0B)
	testkit.Eventually(t, "their connections are held", func() bool {
		return ask(t, g, func(g *Game) bool {
			held := 0
			for _, l := range g.links {
				if l.returning && l.stream.Begun() {
					held++
				}
			}
			return held == 2
		})
	})
	same := ask(t, g, func(g *Game) bool {
		v, err := g.ledger.Left().Revive(nil, nil, new(game.Out), func(*game.Stamped) {})
		return err == nil && v.Machine.Snapshot().Turn == g.machine.Snapshot().Turn
	})
	if !same {
		t.Error("it does not run again")
	}
	poison(t, g, again, []byte("poison"), func(*Game) {})
	mark := ann.Count(0x0C)
	testkit.Eventually(t, "turns", func() bool { return ann.Count(0x0C) > mark+3 })
	ann.UntilChat("P2 has lost the connection")
	back := r.join(g, "P2", player)
	ann.UntilChat("P2 is back.")
	back.UntilChat("P2 is back.")
	sameGame(t, ann, back)
}
