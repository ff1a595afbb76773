package host

import (
	"fmt"
	"testing"
	"time"

	"w3host/storage"
)

// TestLeaveWhileLoading: nobody waits for him, and the others, who cannot take
// the leave yet, read of it before the first turn.
func TestLeaveWhileLoading(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	g := r.lobby(3)
	a, b, gone := r.join(g, "A", lobbyist), r.join(g, "B", lobbyist), r.join(g, "Gone", lobbyist)
	r.begin(a, b, gone)
	a.send(packet(0x23))
	for _, c := range []*client{a, b} {
		c.expect(fmt.Sprintf("F7 08 05 00 %02X", a.pid))
	}
	_ = gone.nc.Close()
	for _, c := range []*client{a, b} {
		c.expect(fmt.Sprintf("F7 08 05 00 %02X", gone.pid))
	}
	b.send(packet(0x23))
	for _, c := range []*client{a, b} {
		c.expect(
			fmt.Sprintf("F7 08 05 00 %02X", b.pid),
			fmt.Sprintf("F7 07 09 00 %02X 01 00 00 00", gone.pid),
			"F7 0C 06 00 32 00",
		)
	}
}

// TestEverybodyLeavesWhileLoading ends the game.
func TestEverybodyLeavesWhileLoading(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	g := r.lobby(2)
	a, b := r.join(g, "A", lobbyist), r.join(g, "B", lobbyist)
	r.begin(a, b)
	_ = a.nc.Close()
	b.send(packet(0x21, uint32(1)))
	b.until(0x1B)
	wantFIN(t, b)
	if end := recorded[storage.GameEnded](r); end.Turns != 0 || end.How != storage.EndFinished {
		t.Errorf("recorded %+v", end)
	}
}

// TestLoadTimeout drops who never finishes.
func TestLoadTimeout(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Turns.LoadTimeout = time.Second })
	g := r.lobby(2)
	a, slow := r.join(g, "A", player), r.join(g, "Slow", lobbyist)
	r.begin(a, slow)
	wantFIN(t, slow)
	a.expect(
		fmt.Sprintf("F7 08 05 00 %02X", a.pid),
		fmt.Sprintf("F7 08 05 00 %02X", slow.pid),
		fmt.Sprintf("F7 07 09 00 %02X 01 00 00 00", slow.pid),
		"F7 0C 06 00 32 00",
	)
	if drop := recorded[storage.DropEvent](r); drop.PID != slow.pid || drop.Reason != "did not load in time" {
		t.Errorf("recorded %+v", drop)
	}
}

// TestActionWhileLoading is malformed: it costs that player alone his place.
func TestActionWhileLoading(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	g := r.lobby(2)
	a, early := r.join(g, "A", player), r.join(g, "Early", lobbyist)
	r.begin(a, early)
	early.send(action([]byte{1}))
	_ = early.ended()
	a.until(0x0C)
	if line := r.logged("player dropped"); line["player"] != "Early" || line["reason"] != "sent an action while loading" {
		t.Errorf("logged %v", line)
	}
}

// TestLoadInGame: who has loaded enters at once, sees on the lag screen who has
// not, and may leave; the late ones get the same in the same order.
func TestLoadInGame(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Turns.LoadInGame = true })
	g := r.lobby(4)
	var clients []*client
	for i := range 4 {
		clients = append(clients, r.join(g, fmt.Sprintf("P%d", i+1), lobbyist))
	}
	r.begin(clients...)
	a, b, late, gone := clients[0], clients[1], clients[2], clients[3]
	loaded := func(c *client) string { return fmt.Sprintf("F7 08 05 00 %02X", c.pid) }
	everybody := []string{loaded(a), loaded(b), loaded(late), loaded(gone)}

	a.send(packet(0x23))
	a.expect(everybody...)
	a.expect(fmt.Sprintf("F7 10 14 00 03 %02X 00 00 00 00 %02X 00 00 00 00 %02X 00 00 00 00", b.pid, late.pid, gone.pid))
	b.send(packet(0x23))
	b.expect(everybody...)
	b.expect(fmt.Sprintf("F7 10 0F 00 02 %02X 00 00 00 00 %02X 00 00 00 00", late.pid, gone.pid))
	a.expect(fmt.Sprintf("F7 11 09 00 %02X 00 00 00 00", b.pid))

	_ = gone.nc.Close()
	leave := fmt.Sprintf("F7 07 09 00 %02X 01 00 00 00", gone.pid)
	for _, c := range []*client{a, b} {
		c.expect(fmt.Sprintf("F7 11 09 00 %02X 00 00 00 00", gone.pid), leave)
	}
	b.send(action([]byte{0x42})) // allowed: he is in the game
	time.Sleep(2 * period)       // no turn comes meanwhile

	late.send(packet(0x23))
	late.expect(append(everybody, leave)...)
	for _, c := range []*client{a, b} {
		c.expect(fmt.Sprintf("F7 11 09 00 %02X 00 00 00 00", late.pid))
	}
	for _, c := range []*client{a, b, late} {
		c.expect(fmt.Sprintf("F7 0C 0C 00 32 00 ?? ?? %02X 01 00 42", b.pid))
		c.until(0x0C)
	}
}
