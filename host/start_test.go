package host

import (
	"fmt"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/storage"
)

// TestStart holds the bytes from the countdown to the second turn against the
// protocol. Pid 1 is the virtual host's, 2 a fake player's, 3 and 4 play.
func TestStart(t *testing.T) { inBubble(t, testStart) }

func testStart(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Game.Lobby.Countdown.Lines = 1 })
	g := r.lobby(3)
	order(t, g, "fakeplayer")
	alice, bob := r.join(g, "Alice", lobbyist), r.join(g, "Bob", lobbyist)
	both := []*client{alice, bob}

	alice.UntilText("You own this lobby")
	alice.Say("!start force")
	for _, c := range both {
		c.Until(0x0F)
		c.Cursor--
		c.Ignore += "\x09" // that Bob has the map may be told now
		c.Expect(
			"F7 0F 0E 00 02 03 04 01 10 31 E2 80 A6 00", // "1…" from the virtual host
			"F7 0A 04 00",
			"F7 07 09 00 01 0D 00 00 00", // the virtual host goes
			"F7 0B 04 00",
			"F7 08 05 00 02", // the fake player has loaded
		)
	}
	late := r.knock(g, "Late", nil)
	late.Expect("F7 05 08 00 0A 00 00 00")
	wantFIN(t, late)

	bob.Send(packet(0x23))
	for _, c := range both {
		c.Expect("F7 08 05 00 04")
	}
	time.Sleep(3 * period) // a host that did not wait for Alice would send turns now
	loaded := time.Now()
	alice.Send(packet(0x23))
	for _, c := range both {
		c.Expect("F7 08 05 00 03", "F7 0C 06 00 32 00")
	}
	first := bob.All()[bob.Cursor-1].At
	if wait := first.Sub(loaded); wait < period {
		t.Errorf("the first turn came %v after the last load, want one period of %v", wait, period)
	}

	// What both do is in one turn or the next, with the prefix of who did it and the
	// low half of the CRC-32 of all that.
	data := []byte{0x16, 1, 0, 0} // a selection of no unit
	bob.Send(action(data))
	block := append([]byte{4, 4, 0}, data...)
	want := fmt.Sprintf("F7 0C 0F 00 32 00 %02X %02X % X", byte(sum32(block)), byte(sum32(block)>>8), block)
	for _, c := range both {
		for {
			b := c.Until(0x0C)
			if matches(want, b) {
				break
			}
			if len(b) != 6 {
				t.Fatalf("got the turn %X, want %s", b, want)
			}
		}
	}

	// In the game: to the list, not back, and the host's voice is the fake player's.
	bob.SayInGame("gg", 3, 4)
	alice.UntilText("gg")
	alice.Cursor--
	alice.Expect("F7 0F 0F 00 01 03 04 20 00 00 00 00 67 67 00")

	// A goodbye: 0x1B and a FIN; the others hear it once, with the reason.
	bob.Send(packet(0x21, uint32(7)))
	bob.Ignore += "\x0C\x0F" // turns, and a host that finds itself late says so
	bob.Expect("F7 1B 04 00")
	wantFIN(t, bob)
	for _, p := range bob.All() {
		if p.B[1] == 0x0F && chatText(p.B) == "gg" {
			t.Error("Bob's own line came back")
		}
	}
	if b := alice.Until(0x07); !matches("F7 07 09 00 04 07 00 00 00", b) {
		t.Errorf("got %X for the leave", b)
	}
	mark := alice.Count(0x0C)
	testkit.Eventually(t, "three more turns", func() bool { return alice.Count(0x0C) > mark+3 })
	if n := alice.Count(0x07); n != 2 {
		t.Errorf("%d × 0x07 came, want the virtual host's and Bob's", n)
	}

	left := recorded[storage.PlayerLeft](r)
	if left.PID != 4 || left.Code != 7 || left.Actions != 1 {
		t.Errorf("recorded %+v", left)
	}
	slots := recorded[storage.GameStarted](r).Slots
	if len(slots) != 3 || slots[0].Occupant != storage.OccupantFake || slots[2].Name != "Bob" {
		t.Errorf("recorded the slots %+v", slots)
	}
}

// TestJoinMeetsStart: whoever comes at the moment of the start is either in the
// game or told that it has begun, and whoever is gone at once holds nobody up.
func TestJoinMeetsStart(t *testing.T) { inBubble(t, testJoinMeetsStart) }

func testJoinMeetsStart(t *testing.T) {
	r := newRig(t, nil)
	for round := range 10 {
		g := r.lobby(12)
		alice := r.join(g, "Alice", player)
		var others []*client
		for i := range 8 {
			c := r.knock(g, fmt.Sprintf("P%d", i), player)
			if i%2 == 0 {
				_ = c.Conn.Close()
			}
			others = append(others, c)
			if i == 4 {
				alice.Say("!start now")
			}
		}
		alice.Until(0x0B)
		alice.Until(0x0C) // nobody who is gone is waited for
		in := 0
		for i, c := range others {
			if i%2 == 0 {
				continue
			}
			switch b := c.Next(); {
			case b != nil && b[1] == 0x04:
				c.Until(0x0C)
				in++
			case b == nil || !matches("F7 05 08 00 0A 00 00 00", b):
				t.Fatalf("round %d: got %X, %v", round, b, c.Ending())
			}
		}
		alice.Until(0x0C)
		for _, c := range append(others, alice) {
			_ = c.Conn.Close()
		}
		testkit.Eventually(t, "the end of the game", func() bool { return r.h.Game(g.ID()) == nil })
	}
}
