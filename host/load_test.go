package host

import (
	"fmt"
	"testing"
	"time"

	"w3host/storage"
)

// TestLeaveWhileLoading: nobody waits for them, and the others, who cannot take
// the leave yet, read of it before the first turn.
func TestLeaveWhileLoading(t *testing.T) { inBubble(t, testLeaveWhileLoading) }

func testLeaveWhileLoading(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(3)
	a, b, gone := r.join(g, "A", lobbyist), r.join(g, "B", lobbyist), r.join(g, "Gone", lobbyist)
	r.begin(a, b, gone)
	a.Send(packet(0x23))
	for _, c := range []*client{a, b} {
		c.Expect(fmt.Sprintf("F7 08 05 00 %02X", a.PID))
	}
	_ = gone.Conn.Close()
	for _, c := range []*client{a, b} {
		c.Expect(fmt.Sprintf("F7 08 05 00 %02X", gone.PID))
	}
	b.Send(packet(0x23))
	for _, c := range []*client{a, b} {
		c.Expect(
			fmt.Sprintf("F7 08 05 00 %02X", b.PID),
			fmt.Sprintf("F7 07 09 00 %02X 01 00 00 00", gone.PID),
			"F7 0C 06 00 32 00",
		)
	}
}

// TestEverybodyLeavesWhileLoading ends the game.
func TestEverybodyLeavesWhileLoading(t *testing.T) { inBubble(t, testEverybodyLeavesWhileLoading) }

func testEverybodyLeavesWhileLoading(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(2)
	a, b := r.join(g, "A", lobbyist), r.join(g, "B", lobbyist)
	r.begin(a, b)
	_ = a.Conn.Close()
	b.Send(packet(0x21, uint32(1)))
	b.Until(0x1B)
	wantFIN(t, b)
	if end := recorded[storage.GameEnded](r); end.Turns != 0 || end.How != storage.EndFinished {
		t.Errorf("recorded %+v", end)
	}
}

// TestLoadTimeout drops who never finishes.
func TestLoadTimeout(t *testing.T) { inBubble(t, testLoadTimeout) }

func testLoadTimeout(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Game.Turns.LoadTimeout = time.Second })
	g := r.lobby(2)
	a, slow := r.join(g, "A", player), r.join(g, "Slow", lobbyist)
	r.begin(a, slow)
	wantFIN(t, slow)
	a.Expect(
		fmt.Sprintf("F7 08 05 00 %02X", a.PID),
		fmt.Sprintf("F7 08 05 00 %02X", slow.PID),
		fmt.Sprintf("F7 07 09 00 %02X 01 00 00 00", slow.PID),
		"F7 0C 06 00 32 00",
	)
	if drop := recorded[storage.DropEvent](r); drop.PID != slow.PID || drop.Reason != "did not load in time" {
		t.Errorf("recorded %+v", drop)
	}
}

// TestActionWhileLoading is malformed: it costs only that player their place.
func TestActionWhileLoading(t *testing.T) { inBubble(t, testActionWhileLoading) }

func testActionWhileLoading(t *testing.T) {
	r := newRig(t, nil)
	g := r.lobby(2)
	a, early := r.join(g, "A", player), r.join(g, "Early", lobbyist)
	r.begin(a, early)
	early.Send(action([]byte{1}))
	_ = early.Ended()
	a.Until(0x0C)
	if line := r.logged("player dropped"); line["player"] != "Early" || line["reason"] != "sent an action while loading" {
		t.Errorf("logged %v", line)
	}
}

// TestLoadInGame: who has loaded enters at once, sees on the lag screen who has
// not, and may leave; the late ones get the same in the same order.
func TestLoadInGame(t *testing.T) { inBubble(t, testLoadInGame) }

func testLoadInGame(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Game.Turns.LoadInGame = true })
	g := r.lobby(4)
	var clients []*client
	for i := range 4 {
		clients = append(clients, r.join(g, fmt.Sprintf("P%d", i+1), lobbyist))
	}
	r.begin(clients...)
	a, b, late, gone := clients[0], clients[1], clients[2], clients[3]
	loaded := func(c *client) string { return fmt.Sprintf("F7 08 05 00 %02X", c.PID) }
	everybody := []string{loaded(a), loaded(b), loaded(late), loaded(gone)}

	a.Send(packet(0x23))
	a.Expect(everybody...)
	a.Expect(fmt.Sprintf("F7 10 14 00 03 %02X 00 00 00 00 %02X 00 00 00 00 %02X 00 00 00 00", b.PID, late.PID, gone.PID))
	b.Send(packet(0x23))
	b.Expect(everybody...)
	b.Expect(fmt.Sprintf("F7 10 0F 00 02 %02X 00 00 00 00 %02X 00 00 00 00", late.PID, gone.PID))
	a.Expect(fmt.Sprintf("F7 11 09 00 %02X 00 00 00 00", b.PID))

	_ = gone.Conn.Close()
	leave := fmt.Sprintf("F7 07 09 00 %02X 01 00 00 00", gone.PID)
	for _, c := range []*client{a, b} {
		c.Expect(fmt.Sprintf("F7 11 09 00 %02X 00 00 00 00", gone.PID), leave)
	}
	b.Send(action([]byte{0x42})) // allowed: the player is in the game
	time.Sleep(2 * period)       // no turn comes meanwhile

	late.Send(packet(0x23))
	late.Expect(append(everybody, leave)...)
	for _, c := range []*client{a, b} {
		c.Expect(fmt.Sprintf("F7 11 09 00 %02X 00 00 00 00", late.PID))
	}
	for _, c := range []*client{a, b, late} {
		c.Expect(fmt.Sprintf("F7 0C 0C 00 32 00 ?? ?? %02X 01 00 42", b.PID))
		c.Until(0x0C)
	}
}
